import Identity
import Keys
import Terminal
import Testing

@testable import AppModel
@testable import Screens

/// A program set up from its page, and taken back.
@Suite struct SetupScreens {
    static let preview = SetupPreview(
        lines: [
            "link    /home/ada/.local/bin/docker-credential-foyer -> /usr/bin/foyer",
            "change  /home/ada/.docker/config.json", "  -    \"auths\": …", "  +    \"auths\": …,",
            "  +    \"credHelpers\": {", "  +        \"contoso.azurecr.io\": \"foyer\"", "  +    }",
        ],
        warnings: ["/home/ada/.local/bin is not on PATH: add it there"], notes: ["docker asks others, too"],
        isOffered: true)

    /// The rows are git, kubectl and docker, below three programs.
    private static func state(rows: Int, columns: Int, row: Int, _ replies: Reply...) -> State {
        var state = World.state(rows: rows, columns: columns)
        state.type("P")
        state.send(.programs(ProgramsScreens.report, RequestID(1)))
        for _ in 0..<(3 + row) { state.press(.down) }
        state.press(.enter)
        for reply in replies { state.send(.reply(reply, RequestID(2))) }
        return state
    }

    static func asked(rows: Int = 30, columns: Int = 120) -> State {
        state(rows: rows, columns: columns, row: 2, .setupPreview(preview))
    }

    @Test(arguments: [(24, 80), (60, 200)]) func `Set docker up`(_ size: (Int, Int)) throws {
        try expectOverlay(
            "setup", Self.asked(rows: size.0, columns: size.1),
            is: #"""
                ┌─ Set docker up? ─────────────────────────────────────────────────────────┐
                │ ○ docker: not set up                                                     │
                │                                                                          │
                │ link    /home/ada/.local/bin/docker-credential-foyer -> /usr/bin/foyer   │
                │ change  /home/ada/.docker/config.json                                    │
                │   -    "auths": …                                                        │
                │   +    "auths": …,                                                       │
                │   +    "credHelpers": {                                                  │
                │   +        "contoso.azurecr.io": "foyer"                                 │
                │   +    }                                                                 │
                │                                                                          │
                │ ▲ /home/ada/.local/bin is not on PATH: add it there                      │
                │ docker asks others, too                                                  │
                │                                                                          │
                │ ▸[ Cancel ]   [ set up ]                                                 │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `Set docker up at 40x10`() throws {
        try expectScreen(
            "setup 40x10", Self.asked(rows: 10, columns: 40),
            is: #"""
                 foyer  Programs 3         ▲ plain file
                ┌─ Set docker up? ─────────────────────┐
                │ ○ docker: not set up                 │
                │                                      │
                │ link    /home/ada/.local/bin/docker- │
                │ credential-foyer -> /usr/bin/foyer   │
                │ change  /home/ada/.docker/config.jso↓│
                │ ▸[ Cancel ]   [ set up ]             │
                └──────────────────────────────────────┘
                 Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `Take git's setup back at 80x24`() throws {
        let preview = SetupPreview(
            lines: ["unlink  /home/ada/.local/bin/git-credential-foyer", "remove  /home/ada/.gitconfig"],
            isOffered: true)
        try expectOverlay(
            "setup undo 80x24", Self.state(rows: 24, columns: 80, row: 0, .setupPreview(preview)),
            is: #"""
                ┌─ Undo git's setup? ──────────────────────────────────────────────────────┐
                │ ● git: set up                                                            │
                │                                                                          │
                │ unlink  /home/ada/.local/bin/git-credential-foyer                        │
                │ remove  /home/ada/.gitconfig                                             │
                │                                                                          │
                │ ▸[ Cancel ]   [ undo ]                                                   │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter choose  y yes  n no  ? help
                """#)
    }

    @Test func `What came of it at 80x24`() throws {
        var state = Self.asked(rows: 24, columns: 80)
        state.type("y")
        let result = SetupResult(
            "docker is set up",
            checks: [
                .init(isGood: true, "docker-credential-foyer version answers"),
                .init(isGood: false, "docker-credential-foyer is not found at /home/ada/.local/bin"),
            ],
            failure: Failure(
                .configuration, "docker will not find foyer yet: docker-credential-foyer is not found",
                hint: "mend that, or take all of it back with: foyer setup docker --undo"))
        state.send(.reply(.setupResult(result), RequestID(3)))
        try expectOverlay(
            "setup result 80x24", state,
            is: #"""
                ┌─ Set docker up ──────────────────────────────────────────────────────────┐
                │ ✔ docker-credential-foyer version answers                                │
                │ ✖ docker-credential-foyer is not found at /home/ada/.local/bin           │
                │                                                                          │
                │ ✖ docker will not find foyer yet: docker-credential-foyer is not found   │
                │                                                                          │
                │ What you can do                                                          │
                │   mend that, or take all of it back with: foyer setup docker --undo      │
                └──────────────────────────────────────────────────────────────────────────┘
                Enter close  Esc back  ? help
                """#)
    }

    @Test func `A refusal at 40x10`() throws {
        let failure = Failure(
            .configuration, "/home/ada/.local/bin/docker-credential-foyer is another program's",
            hint: "move it away, or leave this as it is")
        try expectScreen(
            "setup refused 40x10", Self.state(rows: 10, columns: 40, row: 2, .failed(failure)),
            is: #"""
                 foyer  Programs 3         ▲ plain file
                ┌─ Set docker up ──────────────────────┐
                │ ✖ /home/ada/.local/bin/docker-creden │
                │   tial-foyer is another program's    │
                │                                      │
                │ What you can do                      │
                │   move it away, or leave this as it  │
                │   is                                 │
                └──────────────────────────────────────┘
                 Enter close  Esc back  ? help
                """#)
    }
}
