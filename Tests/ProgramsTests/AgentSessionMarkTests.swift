import Identity
import Testing

@testable import CommandSupport

@Suite struct AgentSessionMarkTests {
    private static func find(_ variables: [String: String], _ own: [String] = []) throws -> AgentSession? {
        try AgentSession.find(in: ProcessEnvironment { variables[$0] }, own) { _ in "7-99" }
    }

    /// `AGENT VARIABLE ID`, or `-` for a person.
    private static func words(_ variables: [String: String], _ own: [String] = []) throws -> String {
        try find(variables, own).map { "\($0.agent) \($0.variable) \($0.id)" } ?? "-"
    }

    @Test(arguments: [
        ([:], "-"), (["COPILOT_AGENT_SESSION_ID": ""], "-"),
        (["COPILOT_AGENT_SESSION_ID": "s1"], "Copilot COPILOT_AGENT_SESSION_ID s1"),
        (["CLAUDECODE": "1"], "Claude Code CLAUDECODE claude-code-7-99"),
        (["CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "u-1"], "Claude Code CLAUDE_CODE_SESSION_ID u-1"),
        (["CODEX_THREAD_ID": "t", "CODEX_CI": "1"], "Codex CODEX_THREAD_ID t"),
        (["CODEX_SANDBOX": "seatbelt"], "Codex CODEX_SANDBOX codex-7-99"),
        (["CODEX_SANDBOX_NETWORK_DISABLED": "1"], "Codex CODEX_SANDBOX_NETWORK_DISABLED codex-7-99"),
        (["GEMINI_CLI": "1"], "Gemini CLI GEMINI_CLI gemini-cli-7-99"),
        (["COPILOT_CLI": "1"], "Copilot COPILOT_CLI copilot-7-99"),
        (["OPENCODE": "1"], "OpenCode OPENCODE opencode-7-99"),
        (["CURSOR_AGENT": "1"], "Cursor CURSOR_AGENT cursor-7-99"),
        (["AI_AGENT": "hal_9000_agent"], "hal AI_AGENT hal-7-99"),
        (["AI_AGENT": "_"], "AI_AGENT AI_AGENT ai-agent-7-99"),
        (["AGENT": "amp", "CLAUDECODE": "1"], "Amp AGENT amp-7-99"), (["AGENT": "smith"], "-"),
        (["ANTIGRAVITY_AGENT": "1"], "Antigravity ANTIGRAVITY_AGENT antigravity-7-99"),
        (["AUGMENT_AGENT": "1"], "Augment AUGMENT_AGENT augment-7-99"),
        // People's shells have these, too.
        (["REPL_ID": "r"], "-"), (["TERM_PROGRAM": "kiro"], "-"), (["PATH": "/bin:/home/ada/.pi/agent/bin"], "-"),
        // azure-cli knows its own variable alone, and both keep their tokens in one cache.
        (
            ["COPILOT_AGENT_SESSION_ID": "s1", "CLAUDE_CODE_SESSION_ID": "u", "AI_AGENT": "x"],
            "Copilot COPILOT_AGENT_SESSION_ID s1"
        ),
        // What people set in their shells, and an editor in its terminal.
        (["CLAUDE_CONFIG_DIR": "/x", "ANTHROPIC_API_KEY": "k", "CODEX_HOME": "/x", "GEMINI_API_KEY": "k"], "-"),
        (["CURSOR_TRACE_ID": "t", "GOOSE_PROVIDER": "p"], "-"),
    ])
    func `An agent's session is known by its variables`(variables: [String: String], expected: String) throws {
        #expect(try Self.words(variables) == expected)
    }

    @Test func `A name that an agent gives itself is cleaned and bounded`() throws {
        let name = "é\u{1B}[31m" + String(repeating: "x", count: 100_000)
        let found = try Self.find(["AI_AGENT": name])
        let session = try #require(found)
        #expect(!session.words.contains("\u{1B}") && session.words.count < 150 && session.id.hasPrefix("--"))
    }

    @Test func `The settings add variables, whose value is the ID`() throws {
        let settings = try SettingsReader(
            path: "config.toml", text: "[agents]\nvariables = [\"MY_AGENT\", \"other_1\"]\n"
        ).settings()
        #expect(try Self.words(["MY_AGENT": "m1"], settings.agentVariables) == "MY_AGENT MY_AGENT m1")
        #expect(try Self.words(["other_1": "o", "CLAUDECODE": "1"], settings.agentVariables) == "other_1 other_1 o")
        #expect(try Self.words(["MY_AGENT": "m1"]) == "-")
        for wrong in ["[\"1X\"]", "[\"\"]", "[\"A B\"]", "[\"A=B\"]", "\"X\"", "[7]"] {
            #expect(throws: Failure.self, "\(wrong)") {
                try SettingsReader(path: "config.toml", text: "[agents]\nvariables = \(wrong)\n").settings()
            }
        }
    }

    @Test(arguments: ["COPILOT_AGENT_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "MY_AGENT"])
    func `A session whose ID cannot be sent is refused, and not taken for a person`(variable: String) throws {
        for id in [String(repeating: "x", count: 257), "a b", "a\u{7}", "é"] {
            #expect { try Self.find([variable: id], ["MY_AGENT"]) } throws: { error in
                (error as? Failure)?.code == .invalidInput && (error as? Failure)?.message.contains(variable) == true
            }
        }
        #expect(try Self.find([variable: String(repeating: "x", count: 256)], ["MY_AGENT"])?.id.utf8.count == 256)
    }

    @Test func `A resident process has no session of its own`() throws {
        let variables = ["CLAUDECODE": "1", "COPILOT_AGENT_SESSION_ID": "s1"]
        let environment = ProcessEnvironment { variables[$0] }
        #expect(try AgentSession.find(in: environment) != nil)
        #expect(try AgentSession.find(in: environment.ofPerson) == nil)
        #expect(try AgentSession.find(in: environment.ofPerson.with(["CODEX_CI": "1"])) == nil)
    }

    @Test func `Each ID of each mark can be sent to Entra ID`() throws {
        for mark in AgentSession.marks {
            let value =
                switch mark.value {
                case .id: "id"
                case .any: String(repeating: "Ü x", count: 400)
                case .only(let only): only
                }
            let id = try #require(try Self.find([mark.variable: value])).id.utf8
            #expect((1...256).contains(id.count) && id.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(mark.variable)")
        }
    }

    @Test func `A rule's word for sessions is read and written`() throws {
        for word in [true, false] {
            let text = "[[rules]]\nhost = \"git.example.org\"\nagents = \(word)\n"
            let rule = try #require(SettingsReader(path: "config.toml", text: text).settings().rules.first)
            #expect(rule.agents == word && rule.lines.joined(separator: "\n") + "\n" == text)
        }
        #expect(throws: Failure.self) {
            try SettingsReader(path: "config.toml", text: "[[rules]]\nagents = \"yes\"\n").settings()
        }
    }
}
