import AppModel
import Broker
import Bus
import CommandSupport
import Helpers
import Identity
import Programs
import StrictJSON
import TokenCache

/// The doctor's findings without the network, the agent, the broker, other programs, and recent failures.
extension Report {
    private static let mostRefusals = 20

    /// Subjects and verdicts only: the details of a finding can contain names.
    func checks() async -> ReportValue {
        let findings = await Diagnostics(choices: options, isQuick: true).findings { _ in }
        let subjects =
            ["settings", "store", "other stores", "terminal", "sign-in", "broker", "programs"] + KnownPlaces.names
            + SetupProgram.allCases.map(\.name)
        return .list(
            findings.map { finding in
                ReportValue(
                    ("subject", .word(ReportWord(finding.subject, of: subjects) ?? "another store")),
                    ("verdict", .word(ReportWord(finding.verdict))),
                    ("code", finding.failure.map { .word(ReportWord($0)) }))
            })
    }

    // MARK: Agent and broker

    var agent: ReportValue {
        let agent: AgentConnection
        do throws(AgentConnection.Trouble) { agent = try AgentConnection(AgentPlace(environment)) } catch {
            return ReportValue(("state", .word(Self.word(error))))
        }
        guard let status = agent.ask(.status, within: AgentConnection.patience) else {
            return ReportValue(("state", "does not respond"))
        }
        func number(_ names: String...) -> ReportValue {
            ReportValue(names.reduce(status) { value, name in value[name] ?? .null }.integer)
        }
        func flag(_ name: String) -> ReportValue { .flag(status[name]?.bool == true) }
        return ReportValue(
            ("state", "running"),
            ("version", ReportValue(status["version"]?.string.flatMap { ReportWord(version: $0) })),
            ("sameVersion", .flag(status["version"]?.string == Product.version)), ("locked", flag("locked")),
            ("replaced", flag("isReplaced")), ("stores", ReportValue(status["stores"]?.array?.count)),
            ("waiting", ReportValue(status["requests"]?.array?.count)),
            ("forwardings", ReportValue(status["forwardings"]?.array?.count)), ("tokens", number("served", "tokens")),
            ("refreshed", number("served", "refreshed")), ("failures", number("served", "failures")))
    }

    private static func word(_ trouble: AgentConnection.Trouble) -> ReportWord {
        switch trouble {
        case .notRunning: "not running"
        case .silent: "does not respond"
        case .busy: "busy"
        case .notOurs: "of another user"
        case .otherProtocol: "another program"
        }
    }

    var broker: ReportValue {
        let use = session.map { ReportWord($0.settings.broker) }
        guard let bus = try? MessageBus(environment) else {
            return ReportValue(("use", ReportValue(use)), ("bus", false))
        }
        let presence = BrokerPresence(bus, BrokerServiceFile(environment))
        return ReportValue(
            ("use", ReportValue(use)), ("bus", true), ("foyerEnabled", .flag(presence.isEnabled)),
            ("foyerRunning", .flag(presence.isOwnRunning)), ("another", .flag(presence.other != nil)))
    }

    // MARK: Programs

    var programs: ReportValue {
        guard let setup = try? Setup(environment) else { return .unknown }
        return .list(
            setup.programs.map { program in
                ReportValue(
                    ("program", .word(ReportWord(program))),
                    ("state", .word(ReportWord(setup.state(program).state))),
                    ("firstOnPath", .flag(setup.isFirstOnPath(program))))
            })
    }

    // MARK: Failures

    var failures: ReportValue {
        .list(
            FailureRecord(environment).read().map { entry in
                let origin = ReportWord(entry.origin)
                return ReportValue(
                    ("at", .time(entry.date)), ("code", .word(ReportWord(entry.code))),
                    ("numbers", .list(entry.numbers.map { .word(ReportWord(prefix: origin, number: $0)) })),
                    ("authority", .word(ReportWord(entry.authority))),
                    ("correlationId", entry.correlationID.map { .id($0) }))
            })
    }

    /// Recent refusals to programs, from the record of `foyer why --recent`. Those of `foyer token` are among the
    /// failures.
    var refusals: ReportValue {
        let programs = ProgramName.allCases.map(\.rawValue) + ["terraform"]
        let refused = ProgramUses(environment).read().compactMap { use -> ReportValue? in
            guard case .refused(let code, _) = use.outcome, use.request.program != ProgramName.token.rawValue else {
                return nil
            }
            return ReportValue(
                ("at", .time(use.date)),
                ("program", .word(ReportWord(use.request.program, of: programs) ?? "another")),
                ("code", ReportValue(ReportWord(code, of: Failure.Code.allCases.map(\.rawValue)))))
        }
        return .list(Array(refused.prefix(Self.mostRefusals)))
    }
}
