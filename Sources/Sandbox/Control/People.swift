/// Who is known and by which password: the directory's people, those who signed up since, and what was changed about
/// them.
extension ProviderState {
    /// What a person may change about an account, and who came after the sandbox was started.
    struct People: Sendable {
        static let limit = 1000

        var newcomers: [String: User] = [:]
        /// Username to a password other than everybody's.
        var passwords: [String: String] = [:]
        /// Username to a name other than the directory's.
        var names: [String: String] = [:]
        /// Who signs in with one-time codes alone.
        var passwordless: Set<String> = []
        /// The passwords before the present one, oldest first.
        var formerPasswords: [String: [String]] = [:]
    }

    func user(_ username: String) -> User? {
        let wanted = username.lowercased()
        guard var user = Directory.user(wanted) ?? people.newcomers[wanted] else { return nil }
        if let name = people.names[wanted] { user.name = name }
        return user
    }

    func password(of username: String) -> String { people.passwords[username.lowercased()] ?? Directory.password }

    mutating func setPassword(_ password: String, of username: String) {
        guard people.passwords.count < People.limit else { return }
        people.passwords[username.lowercased()] = password
    }

    mutating func rename(_ username: String, to name: String) {
        guard people.names.count < People.limit else { return }
        people.names[username.lowercased()] = String(name.prefix(120))
    }

    /// A customer who signs up, at the B2C or the External ID tenant; nil: the name is taken, or is no email address.
    mutating func enrol(_ username: String, name: String, password: String, in tenant: Tenant) -> User? {
        let wanted = username.lowercased()
        guard user(wanted) == nil, people.newcomers.count < People.limit, People.isEmail(wanted) else { return nil }
        let user = User(
            username: wanted, name: String(name.prefix(120)), homeTenant: tenant.id,
            objectIds: [tenant.id: RandomValue.uuid()],
            home: tenant == Directory.b2cTenant ? .b2c : .ciam)
        people.newcomers[wanted] = user
        people.passwords[wanted] = password
        return user
    }
}

extension ProviderState.People {
    static func isEmail(_ text: String) -> Bool {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        return text.utf8.count <= 254 && halves.count == 2 && !halves[0].isEmpty && halves[1].contains(".")
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "\"") }
    }
}
