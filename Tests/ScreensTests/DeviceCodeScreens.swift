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
                 foyer  sign in to work                                              ~/.local/share/foyer/token_cache.json [plain file]
                 ███   ███ ███  ████      ███ █  █   ██ █  █
                 █  █ █    █  █ █        █    █  █    █ █ █                                              █▀▀▀▀▀█  ▀▀█▄▀▀█ ▀▀ ▄ █▀▀▀▀▀█
                 ███  █    █  █ ███  ███ █ ██ ████    █ ██                                               █ ███ █ ▄▀██  █▄▀▄▀██ █ ███ █
                 █  █ █    █  █ █        █  █ █  █ █  █ █ █                                              █ ▀▀▀ █ ▀▄█ ▀██▀▄ ▀▀▄ █ ▀▀▀ █
                 ███   ███ ███  █         ███ █  █  ██  █  █                                             ▀▀▀▀▀▀▀ ▀▄▀ █▄▀ ▀ ▀ █ ▀▀▀▀▀▀▀
                                                                                                         ▀█▄  ▀▀█ ▀█ ▀ █▀ ▀ █   ▄█▀▄▄
                 https://microsoft.com/devicelogin                                                       ▄ ▀▀ █▀▀ ▀▄█▀ ▄▄▄▀▄▄█▄█ ▄▄
                 Open this address on any device and enter the code BCDF-GHJK.                           ▀▀█▀▄▄▀█ ▀█ ▄██ ▀▄▄▄█▄█▄▄  ▄█
                 Enter this code only if you started this sign-in: it signs you in to work.              ▀▄▀▀ █▀█▀▀▄ ▄███  ▀▄██ ▀▄▀█ ▄
                 ██████████████████████░░ expires in 14:00                                               ███▀ █▀▀█ ▀ ▀ ▀▄▄▀▄▄▄ ▄▄▄▀█▄▄
                 waiting for you, next check in 4 s                                                      █▀▀ ▀ ▀▀ ▄█▄▀▀█▀  ▀██▄▄ ▀▀  ▀
                                                                                                         ▀  ▀▀▀▀▀███▀▄▄ ▄ ▀▄▀█▀▀▀█▄▀▀▀
                 method  device code (no display here)                                                   █▀▀▀▀▀█ █▄█ ▄█▀██  ▀█ ▀ █▀▀▄
                 next    m switches to: browser                                                          █ ███ █  ▄▀▀▀▀ ██▄▄▀▀█▀▀▀█▄▀█
                 ✔ provider metadata: login.microsoftonline.com                                          █ ▀▀▀ █ ▄▀▀█▀  █▀ ▄█ ██████▀▄
                                                                                                         ▀▀▀▀▀▀▀ ▀▀ ▀     ▀ ▀ ▀▀▀  ▀












                 c copy  b browser  m other method  Esc back  ? help
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
                 foyer  sign in to work      ~/.local/share/foyer/token_cache.json [plain file]
                 ███   ███ ███  ████      ███ █  █   ██ █  █
                 █  █ █    █  █ █        █    █  █    █ █ █      █▀▀▀▀▀█  ▀▀█▄▀▀█ ▀▀ ▄ █▀▀▀▀▀█
                 ███  █    █  █ ███  ███ █ ██ ████    █ ██       █ ███ █ ▄▀██  █▄▀▄▀██ █ ███ █
                 █  █ █    █  █ █        █  █ █  █ █  █ █ █      █ ▀▀▀ █ ▀▄█ ▀██▀▄ ▀▀▄ █ ▀▀▀ █
                 ███   ███ ███  █         ███ █  █  ██  █  █     ▀▀▀▀▀▀▀ ▀▄▀ █▄▀ ▀ ▀ █ ▀▀▀▀▀▀▀
                                                                 ▀█▄  ▀▀█ ▀█ ▀ █▀ ▀ █   ▄█▀▄▄
                 https://microsoft.com/devicelogin               ▄ ▀▀ █▀▀ ▀▄█▀ ▄▄▄▀▄▄█▄█ ▄▄
                 Open this address on any device and enter       ▀▀█▀▄▄▀█ ▀█ ▄██ ▀▄▄▄█▄█▄▄  ▄█
                 the code BCDF-GHJK.                             ▀▄▀▀ █▀█▀▀▄ ▄███  ▀▄██ ▀▄▀█ ▄
                 Enter this code only if you started this        ███▀ █▀▀█ ▀ ▀ ▀▄▄▀▄▄▄ ▄▄▄▀█▄▄
                 sign-in: it signs you in to work.               █▀▀ ▀ ▀▀ ▄█▄▀▀█▀  ▀██▄▄ ▀▀  ▀
                 █████████████████████░ expires in 14:00         ▀  ▀▀▀▀▀███▀▄▄ ▄ ▀▄▀█▀▀▀█▄▀▀▀
                 waiting for you, next check in 4 s              █▀▀▀▀▀█ █▄█ ▄█▀██  ▀█ ▀ █▀▀▄
                                                                 █ ███ █  ▄▀▀▀▀ ██▄▄▀▀█▀▀▀█▄▀█
                 method  device code (no display here)           █ ▀▀▀ █ ▄▀▀█▀  █▀ ▄█ ██████▀▄
                 next    m switches to: browser                  ▀▀▀▀▀▀▀ ▀▀ ▀     ▀ ▀ ▀▀▀  ▀
                 ✔ provider metadata:
                   login.microsoftonline.com




                 c copy  b browser  m other method  Esc back  ? help
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
                 foyer  sign in to work    [plain file]
                  B C D F - G H J K
                 https://microsoft.com/devicelogin
                 Enter this code only if you started
                 this sign-in: it signs you in to work.
                 ██████████████████░ expires in 14:00
                 waiting for you, next check in 4 s

                 method  device code (no display here)↓
                 c copy  b browser  ? help
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
                 foyer  sign in to work      ~/.local/share/foyer/token_cache.json [plain file]
                 ###   ### ###  ####      ### #  #   ## #  #
                 #  # #    #  # #        #    #  #    # # #
                 ###  #    #  # ###  ### # ## ####    # ##
                 #  # #    #  # #        #  # #  # #  # # #
                 ###   ### ###  #         ### #  #  ##  #  #

                 https://microsoft.com/devicelogin
                 Open this address on any device and enter the code BCDF-GHJK.
                 Enter this code only if you started this sign-in: it signs you in to work.
                 ######################.. expires in 14:00
                 waiting for you, next check in 4 s

                 method  device code (no display here)
                 next    m switches to: browser
                 + provider metadata: login.microsoftonline.com







                 c copy  b browser  m other method  Esc back  ? help
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
                 foyer  sign in to work      ~/.local/share/foyer/token_cache.json [plain file]
                 the code has expired and is no longer shown

                 method  device code (no display here)
                 next    m switches to: browser
                 ✔ provider metadata: login.microsoftonline.com

















                 m other method  Esc back  ? help
                """#)
    }
}
