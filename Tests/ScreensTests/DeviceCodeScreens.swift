import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

@Suite struct DeviceCodeScreens {
    @Test func `A device code at 120x30`() throws {
        var state = World.state(World.accounts, rows: 30, columns: 120)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.device, reason: "no display here"), RequestID(1)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt()), RequestID(1)),
            .signIn(
                .poll(DevicePoll(answer: .pending, number: 3, interval: 5, nextAt: World.seconds(64))), RequestID(1)),
            .tick(World.seconds(60)))
        try expectScreen(
            "device 120x30", state,
            is: #"""
                 foyer   1 Accounts   2 Tokens   3 Consent   4 Stores   5 Activity     ~/.local/share/foyer/token_cache.…  ▲ plain file
                ─ Sign in to work ────────────────────────────────────────────────────────────────────────── any work or school tenant ─
                 ✔ client   ● approve   ○ check the response   ○ store
                                                                                                         █▀▀▀▀▀█  ▀▀█▄▀▀█ ▀▀ ▄ █▀▀▀▀▀█
                  1  Open        https://microsoft.com/devicelogin                                       █ ███ █ ▄▀██  █▄▀▄▀██ █ ███ █
                  2  Enter       BCDF-GHJK                                                               █ ▀▀▀ █ ▀▄█ ▀██▀▄ ▀▀▄ █ ▀▀▀ █
                                                                                                         ▀▀▀▀▀▀▀ ▀▄▀ █▄▀ ▀ ▀ █ ▀▀▀▀▀▀▀
                                 ███   ███ ███  ████      ███ █  █   ██ █  █                             ▀█▄  ▀▀█ ▀█ ▀ █▀ ▀ █   ▄█▀▄▄
                                 █  █ █    █  █ █        █    █  █    █ █ █                              ▄ ▀▀ █▀▀ ▀▄█▀ ▄▄▄▀▄▄█▄█ ▄▄
                                 ███  █    █  █ ███  ███ █ ██ ████    █ ██                               ▀▀█▀▄▄▀█ ▀█ ▄██ ▀▄▄▄█▄█▄▄  ▄█
                                 █  █ █    █  █ █        █  █ █  █ █  █ █ █                              ▀▄▀▀ █▀█▀▀▄ ▄███  ▀▄██ ▀▄▀█ ▄
                                 ███   ███ ███  █         ███ █  █  ██  █  █                             ███▀ █▀▀█ ▀ ▀ ▀▄▄▀▄▄▄ ▄▄▄▀█▄▄
                                                                                                         █▀▀ ▀ ▀▀ ▄█▄▀▀█▀  ▀██▄▄ ▀▀  ▀
                  3  Sign in as  the account you want and approve:                                       ▀  ▀▀▀▀▀███▀▄▄ ▄ ▀▄▀█▀▀▀█▄▀▀▀
                     low         User.Read: signs you in and reads your own profile                      █▀▀▀▀▀█ █▄█ ▄█▀██  ▀█ ▀ █▀▀▄
                                                                                                         █ ███ █  ▄▀▀▀▀ ██▄▄▀▀█▀▀▀█▄▀█
                 ⠋ waiting for you (1:00)                                                                █ ▀▀▀ █ ▄▀▀█▀  █▀ ▄█ ██████▀▄
                 ━━━━━━━━━━━━━━━━━━━━━━── code expires in 14:00                                          ▀▀▀▀▀▀▀ ▀▀ ▀     ▀ ▀ ▀▀▀  ▀
                 ▲ Never enter a code that someone sent you: it signs them in as you.

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com
                 account   the one you choose

                 method    device code (no display here)
                 ✔ provider metadata  login.microsoftonline.com

                ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
                 c copy code  b browser  Q QR code  m other method  y copy…  Esc cancel  ? help
                """#)
    }

    @Test func `A device code at 80x24`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.device, reason: "no display here"), RequestID(1)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt()), RequestID(1)),
            .signIn(
                .poll(DevicePoll(answer: .pending, number: 3, interval: 5, nextAt: World.seconds(64))), RequestID(1)),
            .tick(World.seconds(60)))
        try expectScreen(
            "device 80x24", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ✔ client   ● approve   ○ check the response   ○ store

                  1  Open        https://microsoft.com/devicelogin
                  2  Enter       BCDF-GHJK

                                 ███   ███ ███  ████      ███ █  █   ██ █  █
                                 █  █ █    █  █ █        █    █  █    █ █ █
                                 ███  █    █  █ ███  ███ █ ██ ████    █ ██
                                 █  █ █    █  █ █        █  █ █  █ █  █ █ █
                                 ███   ███ ███  █         ███ █  █  ██  █  █

                  3  Sign in as  the account you want and approve:
                     low         User.Read: signs you in and reads your own profile

                 ⠋ waiting for you (1:00)
                 ━━━━━━━━━━━━━━━━━━━━━━── code expires in 14:00
                 ▲ Never enter a code that someone sent you: it signs them in as you.

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com                                           ↓
                 c copy code  b browser  Q QR code  m other method  Esc cancel  ? help
                """#)
    }

    @Test func `A device code at 40x10`() throws {
        var state = World.state(World.accounts, rows: 10, columns: 40)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.device, reason: "no display here"), RequestID(1)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt()), RequestID(1)),
            .signIn(
                .poll(DevicePoll(answer: .pending, number: 3, interval: 5, nextAt: World.seconds(64))), RequestID(1)),
            .tick(World.seconds(60)))
        try expectScreen(
            "device 40x10", state,
            is: #"""
                 foyer  Sign in to work    ▲ plain file
                  1  Open
                 https://microsoft.com/devicelogin
                  2  Enter       BCDF-GHJK
                  B C D F - G H J K
                  3  Sign in as  the account you want
                                 and approve:
                     low         User.Read: signs you
                                 in and reads your own ↓
                 c copy code  Esc cancel  ? help
                """#)
    }

    @Test func `A device code in ASCII`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.device, reason: "no display here"), RequestID(1)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt()), RequestID(1)),
            .signIn(
                .poll(DevicePoll(answer: .pending, number: 3, interval: 5, nextAt: World.seconds(64))), RequestID(1)),
            .tick(World.seconds(60)))
        try expectScreen(
            "device ascii", state, glyphs: .ascii,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ! plain file
                - Sign in to work ---------------------------------- any work or school tenant -
                 + client   * approve   o check the response   o store

                  1  Open        https://microsoft.com/devicelogin
                  2  Enter       BCDF-GHJK

                                 ###   ### ###  ####      ### #  #   ## #  #
                                 #  # #    #  # #        #    #  #    # # #
                                 ###  #    #  # ###  ### # ## ####    # ##
                                 #  # #    #  # #        #  # #  # #  # # #
                                 ###   ### ###  #         ### #  #  ##  #  #

                  3  Sign in as  the account you want and approve:
                     low         User.Read: signs you in and reads your own profile

                 | waiting for you (1:00)
                 ######################.. code expires in 14:00
                 ! Never enter a code that someone sent you: it signs them in as you.

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com                                           v
                 c copy code  b browser  Q QR code  m other method  Esc cancel  ? help
                """#)
    }

    @Test func `A device code that has ended is gone`() throws {
        var state = World.state(World.accounts, rows: 24, columns: 80)
        state.type("a")
        state.press(.enter)
        state.send(
            .signIn(.method(.device, reason: "no display here"), RequestID(1)),
            .signIn(.step(Step(.discovery, .done, "login.microsoftonline.com")), RequestID(1)),
            .signIn(.deviceCode(try World.devicePrompt()), RequestID(1)),
            .signIn(
                .poll(DevicePoll(answer: .pending, number: 3, interval: 5, nextAt: World.seconds(64))), RequestID(1)),
            .tick(World.seconds(60)))
        state.send(.tick(World.seconds(901)))
        try expectScreen(
            "device expired", state,
            is: #"""
                 foyer  1 Accounts  2 Tokens  3 Consent  4 Stores  5 Activity      ▲ plain file
                ─ Sign in to work ────────────────────────────────── any work or school tenant ─
                 ✔ client   ● approve   ○ check the response   ○ store

                 the code has expired and is no longer shown
                 m: start another sign-in

                 client    work, 11111111-2222-3333-4444-555555555555
                 tenant    any work or school tenant
                 provider  login.microsoftonline.com
                 account   the one you choose

                 method    device code (no display here)
                 ✔ provider metadata  login.microsoftonline.com









                 m other method  Esc cancel  ? help
                """#)
    }
}
