/// All that the provider remembers: a value, changed under one lock, so that every request sees one state of the world.
///
/// It only holds its parts and resets them. What a part remembers and how it changes is said where the part is
/// declared; a part knows no endpoint, and what it needs of another part it is given.
struct ProviderState: Sendable {
    /// What was chosen at the start and never changes.
    struct Settings: Sendable {
        /// Seconds.
        let accessTokenLifetime: Int
        /// Seconds between two polls of a device.
        let deviceInterval: Int
        /// The user for whom pages answer themselves at the start.
        let auto: String?
    }

    let settings: Settings
    /// Settled once the sandbox listens.
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

    /// Seconds since 1970 by the sandbox's own clock.
    var now: Int { clock.now }
    var quirks: Quirks { script.quirks }

    func has(_ quirk: Quirk) -> Bool { quirks.has(quirk) }

    /// Everything but the keys and the addresses, as it was at the start.
    mutating func reset() {
        clock = SandboxClock()
        clients = Clients()
        people = People()
        consents = Consents()
        contextDemands = ContextDemands()
        script = FaultScript()
        requests = RequestLog()
        tokens = IssuedTokens()
        devices = DeviceGrants()
        pushed = PushedRequests()
        browser = BrowserSessions(auto: settings.auto)
        mailbox = Mailbox()
        nativeFlows = NativeFlows()
        proofs = ProofChecks()
    }

    /// Keeps a sandbox that runs for days within bounds: what is long dead is forgotten.
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
