/// The users of the directory, later sign-ups, and changes of their passwords and names.
struct People: Sendable {
    static let limit = 1000

    private(set) var newcomers: [String: User] = [:]
    private var passwords: [String: String] = [:]
    private var names: [String: String] = [:]
    /// Users who sign in only with one-time codes.
    var passwordless: Set<String> = []
    var formerPasswords: [String: [String]] = [:]

    func user(_ username: String) -> User? {
        let wanted = username.lowercased()
        guard var user = Directory.user(wanted) ?? newcomers[wanted] else { return nil }
        if let name = names[wanted] { user.name = name }
        return user
    }

    /// The user for a typed name, at AD FS also `CORP\barbara`, at GitHub also `hedy`.
    func user(typed text: String, in issuer: HostedIssuer) -> User? {
        if let user = user(text) { return user }
        let wanted = text.lowercased()
        switch issuer.shape {
        case .adfs: return Directory.users.first { $0.home == .adfs && $0.domainName.lowercased() == wanted }
        case .oauth(.github): return Directory.users.first { issuer.admits($0) && $0.login == wanted }
        case .entra, .openID, .b2c, .oauth: return nil
        }
    }

    func password(of username: String) -> String { passwords[username.lowercased()] ?? Directory.password }

    mutating func setPassword(_ password: String, of username: String) {
        guard passwords.count < People.limit else { return }
        passwords[username.lowercased()] = password
    }

    mutating func rename(_ username: String, to name: String) {
        guard names.count < People.limit else { return }
        names[username.lowercased()] = String(name.prefix(120))
    }

    /// Signs up a customer of the B2C or External ID tenant; nil if the name is taken or not an email address.
    mutating func enrol(_ username: String, name: String, password: String, in tenant: Tenant) -> User? {
        let wanted = username.lowercased()
        guard user(wanted) == nil, newcomers.count < People.limit, People.isEmail(wanted) else { return nil }
        let user = User(
            username: wanted, name: String(name.prefix(120)), homeTenant: tenant.id,
            objectIds: [tenant.id: RandomValue.uuid()],
            home: tenant == Directory.b2cTenant ? .b2c : .ciam)
        newcomers[wanted] = user
        passwords[wanted] = password
        return user
    }

    static func isEmail(_ text: String) -> Bool {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        return text.utf8.count <= 254 && halves.count == 2 && !halves[0].isEmpty && halves[1].contains(".")
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "\"") }
    }
}
