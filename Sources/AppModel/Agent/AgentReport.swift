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
        package var asker: String
        package var client: String
        /// Empty while the agent is locked.
        package var account: String
        package var scopes: String
        package var since: Date?

        package init(id: String, asker: String, client: String, account: String, scopes: String, since: Date?) {
            self.id = id
            self.asker = asker
            self.client = client
            self.account = account
            self.scopes = scopes
            self.since = since
        }
    }

    package struct Use: Equatable, Sendable {
        package var program: String
        package var pid: Int64
        /// Its systemd unit or container, and the program that started it, as far as known.
        package var place: String
        /// Empty if it was refused.
        package var client: String
        package var account: String
        package var last: Date?
        package var requests: Int64

        package init(
            program: String, pid: Int64, place: String, client: String, account: String, last: Date?, requests: Int64
        ) {
            self.program = program
            self.pid = pid
            self.place = place
            self.client = client
            self.account = account
            self.last = last
            self.requests = requests
        }
    }

    /// A host or a container that the agent is forwarded to.
    package struct Forwarding: Equatable, Sendable {
        package var id: String
        /// The host as given to ssh, with the PID of ssh.
        package var words: String
        /// The remote program that made the last request; empty if there was none.
        package var program: String
        package var since: Date?
        package var last: Date?
        package var tokens: Int64
        package var failures: Int64
        package var isEnded: Bool

        package init(
            id: String, words: String, program: String, since: Date?, last: Date?, tokens: Int64, failures: Int64,
            isEnded: Bool
        ) {
            self.id = id
            self.words = words
            self.program = program
            self.since = since
            self.last = last
            self.tokens = tokens
            self.failures = failures
            self.isEnded = isEnded
        }
    }

    package struct Refresh: Equatable, Sendable {
        package var at: Date?
        package var client: String
        package var account: String

        package init(at: Date?, client: String, account: String) {
            (self.at, self.client, self.account) = (at, client, account)
        }
    }

    package struct Fact: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var state: State
    package var pid: Int64
    package var since: Date?
    /// Requests served first, then socket and stores.
    package var facts: [Fact]
    package var questions: [Question]
    package var uses: [Use]
    package var refreshes: [Refresh]
    package var forwardings: [Forwarding]

    package init(
        _ state: State, pid: Int64 = 0, since: Date? = nil, facts: [Fact] = [], questions: [Question] = [],
        uses: [Use] = [], refreshes: [Refresh] = [], forwardings: [Forwarding] = []
    ) {
        self.state = state
        self.pid = pid
        self.since = since
        self.facts = facts
        self.questions = questions
        self.uses = uses
        self.refreshes = refreshes
        self.forwardings = forwardings
    }
}

/// A user's command to the agent. A notice reports the result.
package enum AgentOrder: Equatable, Sendable {
    case start, stop, lock
    /// The passphrase of the store that the agent was locked with.
    case unlock(Secret?)
    case answer(id: String, AgentPermission)
    /// Stop serving a host or a container.
    case endForwarding(id: String)
}
