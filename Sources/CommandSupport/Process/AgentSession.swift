import Console
import FoundationEssentials
import Glibc
package import Identity

/// A session of an AI agent, as opposed to a person. Its variables are a hint and never a proof: children inherit them,
/// and anyone can set or unset them.
package struct AgentSession: Hashable, Sendable {
    /// For a sentence, such as `Claude Code`.
    package let agent: String
    /// The variable that tells.
    package let variable: String
    /// Visible ASCII, at most 256 bytes. Entra ID gets it as `client_session`.
    package let id: String

    package init(agent: String, variable: String, id: String) {
        (self.agent, self.variable, self.id) = (agent, variable, id)
    }

    /// A variable that an agent sets for the programs that it starts.
    package struct Mark: Hashable, Sendable {
        package enum Value: Hashable, Sendable {
            /// The session's ID.
            case id
            case any
            case only(String)
        }

        package let variable: String
        /// Nil if the value names the agent.
        package let agent: String?
        package let value: Value

        fileprivate init(_ variable: String, _ agent: String?, _ value: Value = .any) {
            (self.variable, self.agent, self.value) = (variable, agent, value)
        }

        fileprivate func fits(_ text: String) -> Bool {
            switch value {
            case .id, .any: true
            case .only(let only): text == only
            }
        }
    }

    /// azure-cli knows a session by this variable alone. It comes first, so that both store its tokens under one key.
    package static let variableOfAzureCLI = "COPILOT_AGENT_SESSION_ID"

    /// The first one that is set decides; those with the session's ID come first. Variables that people's shells have
    /// as well mark no session: settings such as `CODEX_HOME` and `GOOSE_PROVIDER`, Pi's folder in `PATH`, and those of
    /// an editor's or a service's terminal, `CURSOR_TRACE_ID`, `REPL_ID` and `TERM_PROGRAM`.
    package static let marks = [
        Mark(variableOfAzureCLI, "Copilot", .id),
        Mark("CLAUDE_CODE_SESSION_ID", "Claude Code", .id), Mark("CODEX_THREAD_ID", "Codex", .id),
        Mark("AI_AGENT", nil),
        // Amp sets CLAUDECODE as well.
        Mark("AGENT", "Amp", .only("amp")),
        Mark("CODEX_CI", "Codex"), Mark("CODEX_SANDBOX", "Codex"), Mark("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
        Mark("GEMINI_CLI", "Gemini CLI"), Mark("COPILOT_CLI", "Copilot"), Mark("OPENCODE", "OpenCode"),
        Mark("ANTIGRAVITY_AGENT", "Antigravity"), Mark("AUGMENT_AGENT", "Augment"),
        Mark("CLAUDECODE", "Claude Code"), Mark("CLAUDE_CODE_ENTRYPOINT", "Claude Code"),
        Mark("CLAUDE_CODE_CHILD_SESSION", "Claude Code"), Mark("CLAUDE_CODE_EXECPATH", "Claude Code"),
        Mark("CLAUDE_PID", "Claude Code"), Mark("CLAUDE_CODE_IS_COWORK", "Cowork"),
        Mark("CURSOR_AGENT", "Cursor"),
    ]

    private static let longestID = 256
    private static let longestName = 60

    /// - Parameters:
    ///   - variables: those of the settings, whose values are the session's ID.
    ///   - run: what tells one run of an agent from another if no variable has an ID; nil if nothing does.
    /// - Returns: nil for a person.
    /// - Throws: `invalidInput` for an ID that cannot be sent: it must not count as a person's.
    package static func find(
        in environment: ProcessEnvironment, _ variables: [String] = [], run: (Mark) -> String? = Mark.run
    ) throws(Failure) -> AgentSession? {
        guard !environment.isOfPerson else { return nil }
        let own = variables.map { Mark($0, nil, .id) }
        for mark in marks.filter({ $0.value == .id }) + own + marks.filter({ $0.value != .id }) {
            guard let text = environment[mark.variable], mark.fits(text) else { continue }
            let name = mark.agent ?? (mark.value == .id ? mark.variable : name(in: text))
            guard mark.value == .id else {
                let id = ([slug(name)] + [run(mark)].compactMap(\.self)).joined(separator: "-")
                return AgentSession(agent: name, variable: mark.variable, id: id)
            }
            guard text.utf8.count <= longestID, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw Failure(
                    .invalidInput, "\(mark.variable) is not a session ID: 1 to \(longestID) visible ASCII characters",
                    hint: "correct it, or unset it")
            }
            return AgentSession(agent: name, variable: mark.variable, id: text)
        }
        return nil
    }

    /// `AI_AGENT` is `NAME` or `NAME_…`.
    private static func name(in text: String) -> String {
        let name = SafeText.line(String(text.prefix { $0 != "_" }), limit: longestName)
        return name.isEmpty ? "AI_AGENT" : name
    }

    private static func slug(_ name: String) -> String {
        let bytes = name.utf8.prefix(longestName).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 0x20
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "-")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// For a sentence: `an AI agent's session (Claude Code, by CLAUDECODE)`.
    package var words: String { "an AI agent's session (\(agent), by \(variable))" }
}

extension AgentSession.Mark {
    private static let mostAncestors = 64

    /// The agent's own process: the nearest ancestor without the mark, by its ID and its start. Nil if the walk ends
    /// before, as in a PID namespace; all runs of the agent there are one session.
    package static func run(_ mark: AgentSession.Mark) -> String? {
        var pid = getppid()
        for _ in 0..<mostAncestors {
            let process = ProcessEntry(pid)
            guard pid > 1, let stat = process.stat else { return nil }
            guard let text = process.variable(mark.variable), !text.isEmpty, mark.fits(text) else {
                return "\(pid)-\(stat.start)"
            }
            pid = stat.parent
        }
        return nil
    }
}
