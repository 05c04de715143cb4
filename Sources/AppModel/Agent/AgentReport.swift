package import FoundationEssentials
package import Identity

/// The agent's status. Text from other programs is not sanitized here; the face that displays it does that.
package struct AgentReport: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// Not running, which is fine: no command needs it.
        case absent
        case running
        /// No token is given out; the stores whose passphrase unlocks it.
        case locked(by: [String])
        /// Something at its socket's path does not respond as an agent.
        case unusable(String)
    }

    package struct Question: Equatable, Sendable {
        package var id: String
        /// The program with its PID, and the purpose it was started for.
        package var asker = ""
        package var client = ""
        /// Empty while the agent is locked.
        package var account = ""
        package var scopes = ""
        package var since: Date?
    }

    package struct Use: Equatable, Sendable {
        package var program: String
        package var pid: Int64 = 0
        /// Its systemd unit or container, and the program that started it, as far as known.
        package var place = ""
        /// The host or container whose requests it passes on; empty for a program of this machine.
        package var host = ""
        /// The program there, as reported from there.
        package var remoteProgram = ""
        /// Empty if it was refused.
        package var client = ""
        package var account = ""
        package var last: Date?
        package var requests: Int64 = 0
    }

    /// Identifies the equal requests of a process.
    package struct UseID: Hashable, Sendable {
        fileprivate let pid: Int64
        fileprivate let remoteProgram: String
        fileprivate let client: String
        fileprivate let account: String
    }

    /// A host or a container that the agent is forwarded to.
    package struct Forwarding: Equatable, Sendable {
        package var id: String
        /// The host as given to ssh, with the PID of ssh.
        package var words = ""
        /// The remote program that made the last request; empty if there was none.
        package var program = ""
        package var since: Date?
        package var last: Date?
        package var tokens: Int64 = 0
        package var failures: Int64 = 0
        package var isEnded = false
    }

    package struct Refresh: Equatable, Sendable {
        package var at: Date?
        package var client: String
        package var account = ""
    }

    package struct Fact: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var state: State
    package var pid: Int64 = 0
    package var since: Date?
    /// Requests served first, then socket and stores.
    package var facts: [Fact] = []
    package var questions: [Question] = []
    package var uses: [Use] = []
    package var refreshes: [Refresh] = []
    package var forwardings: [Forwarding] = []
}

extension AgentReport { package init(_ state: State) { self.init(state: state) } }
extension AgentReport.Question { package init(_ id: String) { self.init(id: id) } }
extension AgentReport.Use {
    package init(_ program: String) { self.init(program: program) }

    var id: AgentReport.UseID {
        AgentReport.UseID(pid: pid, remoteProgram: remoteProgram, client: client, account: account)
    }
}
extension AgentReport.Forwarding { package init(_ id: String) { self.init(id: id) } }
extension AgentReport.Refresh { package init(client: String) { self.init(at: nil, client: client) } }

/// A user's command to the agent. A notice reports the result.
package enum AgentOrder: Equatable, Sendable {
    case start, stop, lock
    /// The passphrase of the store that the agent was locked with.
    case unlock(Secret?)
    case answer(id: String, AgentPermission)
    /// Stop serving a host or a container.
    case endForwarding(id: String)
}
