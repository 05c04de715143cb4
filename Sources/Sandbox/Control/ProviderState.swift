/// The provider's state: a value that changes under one lock, so each request sees a consistent state.
///
/// It only contains and resets its parts. A part knows no endpoints, and gets what it needs from other parts as
/// arguments.
struct ProviderState: Sendable {
    struct Settings: Sendable {
        /// Seconds.
        let accessTokenLifetime: Int
        /// Seconds between two polls of a device.
        let deviceInterval: Int
        /// The user that pages initially sign in automatically.
        let auto: String?
    }

    let settings: Settings
    /// Final once the sandbox is listening.
    var origins = Origins()
    var clock = SandboxClock()
    var keys: CloudKeys

    var clients = Clients()
    var people = People()
    var consents = Consents()
    var contextDemands = ContextDemands()

    var script = FaultScript()
    var requests = RequestLog()

    var tokens = IssuedTokens()
    var devices = DeviceGrants()
    var pushed = PushedRequests()
    var browser: BrowserSessions
    var mailbox = Mailbox()
    var nativeFlows = NativeFlows()
    var proofs = ProofChecks()

    init(_ settings: Settings) throws {
        self.settings = settings
        keys = try CloudKeys()
        browser = BrowserSessions(auto: settings.auto)
    }

    /// Seconds since 1970 by the sandbox's clock.
    var now: Int { clock.now }
    var quirks: Quirks { script.quirks }

    func has(_ quirk: Quirk) -> Bool { quirks.has(quirk) }

    /// Restores the initial state, except for keys and addresses.
    mutating func reset() {
        clock = SandboxClock()
        clients = Clients()
        people = People()
        consents = Consents()
        contextDemands = ContextDemands()
        script.clear()
        requests = RequestLog()
        tokens = IssuedTokens()
        devices = DeviceGrants()
        pushed = PushedRequests()
        browser = BrowserSessions(auto: settings.auto)
        mailbox = Mailbox()
        nativeFlows = NativeFlows()
        proofs = ProofChecks()
    }

    /// Removes old entries, to limit the memory of a sandbox that runs for days.
    mutating func sweep() {
        let now = now
        tokens.sweep(at: now)
        pushed.sweep(at: now)
        nativeFlows.sweep(at: now)
        devices.sweep(at: now)
        browser.sweep(at: now)
        clients.sweep()
    }
}
