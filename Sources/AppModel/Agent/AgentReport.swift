package import FoundationEssentials
package import Identity

/// What the agent says of itself. Texts in it that other programs have made come as they are; the face that shows them
/// cleans them.
package struct AgentReport: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        /// None runs: nothing needs one.
        case absent
        case running
        /// No token leaves; the stores whose passphrase unlocks it.
        case locked(by: [String])
        /// Something is at its place that cannot be spoken to.
        case unusable(String)
    }

    /// A program that waits for the person's permission.
    package struct Question: Equatable, Sendable {
        package var id: String
        /// The program with its number, and what it was started for.
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

    /// A program that asked lately.
    package struct Use: Equatable, Sendable {
        package var program: String
        package var pid: Int64
        /// The systemd unit or the container that it runs in, and what has started it, as far as they are known.
        package var place: String
        /// Empty where it was given nothing.
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
        /// The host as ssh was told it, with the number of the ssh.
        package var words: String
        /// The program over there that asked last; empty where none has.
        package var program: String
        package var since: Date?
        package var last: Date?
        package var tokens: Int64
        package var failures: Int64
        /// Whether the person has ended it.
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

    /// A token that will be refreshed before anybody asks.
    package struct Refresh: Equatable, Sendable {
        package var at: Date?
        package var client: String
        package var account: String

        package init(at: Date?, client: String, account: String) {
            (self.at, self.client, self.account) = (at, client, account)
        }
    }

    /// Something else that it says, for a person.
    package struct Fact: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package var state: State
    package var pid: Int64
    package var since: Date?
    /// What it has served first, then socket and stores.
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

/// What the person wants of the agent. What came of it is told by a notice.
package enum AgentOrder: Equatable, Sendable {
    case start, stop, lock
    /// The passphrase is that of the store that was locked with it.
    case unlock(Secret?)
    case answer(id: String, AgentPermission)
    /// To serve a host or a container no more.
    case endForwarding(id: String)
}
