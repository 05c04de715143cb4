public import Identity
public import SilentFirst
import Synchronization

/// The browser of a ``TestProvider`` and the person in front of it. It opens no window and no port.
public final class TestBrowser: Sendable {
    /// The behavior of the person on the provider's page, or with a device code.
    public enum Person: Hashable, Sendable {
        /// Signs in and consents.
        case signsIn(TestUser)
        /// Declines: the sign-in fails with `cancelled`.
        case declines
        /// Does nothing: the sign-in fails with `unavailable` after a moment, a device code expires.
        case staysAway
    }

    private struct State {
        var person: Person
        var opened: [WebAddress] = []
        var redirects: [String] = []
    }

    private let state: Mutex<State>
    private let method: SignInMethod
    private let authorize: @Sendable (WebAddress, Person) -> String?

    init(_ person: Person, _ method: SignInMethod, authorize: @escaping @Sendable (WebAddress, Person) -> String?) {
        state = Mutex(State(person: person))
        (self.method, self.authorize) = (method, authorize)
    }

    /// The behavior in the next sign-in.
    public var person: Person {
        get { state.withLock { $0.person } }
        set { state.withLock { $0.person = newValue } }
    }

    /// The pages that were opened, oldest first: one per sign-in, so none after a silent call.
    public var opened: [WebAddress] { state.withLock { $0.opened } }

    /// For ``/SilentFirst/PublicClientApplication/acquireToken(_:userAgents:onEvent:)`` and other calls.
    public var userAgents: UserAgents {
        let open: @Sendable (WebAddress) -> Void = { [self] address in
            let person = state.withLock { state in
                state.opened.append(address)
                return state.person
            }
            let redirect = authorize(address, person)
            state.withLock { $0.redirects += [redirect].compactMap(\.self) }
        }
        // A sign-in opens its page first.
        let pasted: @Sendable () -> AsyncStream<String> = { [self] in
            let redirects = state.withLock { state in
                defer { state.redirects = [] }
                return state.redirects
            }
            return AsyncStream { sink in for redirect in redirects { sink.yield(redirect) } }
        }
        var agents = UserAgents(
            automatic: { [method] in (method, "the test's choice") }, openBrowser: open, openPrivateWindow: open,
            openTextBrowser: open, pastedLines: pasted)
        // The person is here already, or never comes.
        agents.patience = person == .staysAway ? .milliseconds(1) : .seconds(60)
        return agents
    }
}
