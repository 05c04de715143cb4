import Glibc
import StrictJSON

/// Stores as MSAL for Python writes them, with made-up tokens of a real token's length.
enum Stores {
    static let clientID = "11111111-2222-3333-4444-555555555555"
    static let tenant = "aaaaaaaa-0000-4000-8000-000000000001"
    static let authority = "https://login.microsoftonline.com/\(tenant)"
    private static let environment = "login.microsoftonline.com"

    /// What every account's name begins with.
    static let word = "person"

    static func username(_ number: Int) -> String { "\(word)\(number)@contoso.example" }
    private static func home(_ number: Int) -> String { "\(guid(number)).\(tenant)" }

    /// How long the made-up secrets are.
    enum Length: String {
        /// As real ones: 5,000 access tokens make 15 MB.
        case full
        /// With no white space between them: 50,000 access tokens of full length are more than foyer reads, and so they
        /// make 59 MB.
        case short

        /// Characters.
        var access: Int { self == .full ? 1400 : 226 }
        var refresh: Int { self == .full ? 1400 : 88 }
        var identity: Int { self == .full ? 1000 : 62 }
    }

    /// Makes a store in a process of its own, as this one is to stay small.
    ///
    /// - Returns: its path.
    static func make(_ scratch: Scratch, _ name: String, accounts: Int, tokensEach: Int, length: Length) -> String {
        let file = scratch.path + "/" + name
        let words = [Programs.own, "--write-store", "\(accounts)", "\(tokensEach)", "\(length.rawValue)", file]
        _ = Child.run(Command(words, scratch.environment))
        return file
    }

    /// The other side of ``make(_:_:accounts:tokensEach:length:)``; false when the words mean something else.
    static func write(_ words: [String]) -> Bool {
        guard words.count == 5, words[0] == "--write-store", let accounts = Int(words[1]), let tokens = Int(words[2]),
            let length = Length(rawValue: words[3])
        else { return false }
        Files.write(words[4], store(accounts: accounts, tokensEach: tokens, length: length))
        return true
    }

    /// foyer's silent token for the first account of such a store.
    static func hit(_ store: String, _ scratch: Scratch) -> Command {
        let words = [
            Programs.foyer, "token", "--silent", "--client-id", clientID, "--authority", authority, "--account",
            username(0), "--scope", "User.Read", "--store", store,
        ]
        return Command(words, scratch.environment)
    }

    private static func store(accounts: Int, tokensEach: Int, length: Length) -> String {
        let now = time(nil)
        var access: [JSONMember] = []
        var refresh: [JSONMember] = []
        var identity: [JSONMember] = []
        var people: [JSONMember] = []
        for number in 0..<accounts {
            let home = home(number)
            for token in 0..<tokensEach {
                let target = token == 0 ? "User.Read" : "https://resource\(token).example/.default"
                access.append(
                    entry(
                        "\(home)-\(environment)-accesstoken-\(clientID)-\(tenant)-\(target)",
                        [
                            "credential_type": "AccessToken", "secret": secret(length.access, number),
                            "home_account_id": home,
                            "environment": environment,
                            "client_id": clientID, "target": target, "realm": tenant, "token_type": "Bearer",
                            "cached_at": "\(now)",
                            "expires_on": "\(now + 36_000)", "extended_expires_on": "\(now + 72_000)",
                        ]))
            }
            refresh.append(
                entry(
                    "\(home)-\(environment)-refreshtoken-\(clientID)--User.Read",
                    [
                        "credential_type": "RefreshToken", "secret": secret(length.refresh, number),
                        "home_account_id": home,
                        "environment": environment,
                        "client_id": clientID, "target": "User.Read", "last_modification_time": "\(now)",
                    ]))
            identity.append(
                entry(
                    "\(home)-\(environment)-idtoken-\(clientID)-\(tenant)-",
                    [
                        "credential_type": "IdToken", "secret": secret(length.identity, number),
                        "home_account_id": home,
                        "environment": environment,
                        "client_id": clientID, "realm": tenant,
                    ]))
            people.append(
                entry(
                    "\(home)-\(environment)-\(tenant)",
                    [
                        "home_account_id": home, "environment": environment, "realm": tenant,
                        "local_account_id": guid(number),
                        "username": username(number), "name": "Person \(number)", "authority_type": "MSSTS",
                    ]))
        }
        let sections: [JSONMember] = [
            section("AccessToken", access), section("Account", people), section("IdToken", identity),
            section("RefreshToken", refresh),
            section("AppMetadata", []),
        ]
        return JSONValue.object(JSONObject(sections)).serialized(pretty: length == .full)
    }

    private static func section(_ name: String, _ members: [JSONMember]) -> JSONMember {
        JSONMember(name: name, value: .object(JSONObject(members)))
    }

    private static func entry(_ key: String, _ fields: KeyValuePairs<String, String>) -> JSONMember {
        JSONMember(
            name: key.lowercased(),
            value: .object(JSONObject(fields.map { JSONMember(name: $0.key, value: .string($0.value)) })))
    }

    private static func guid(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "bbbbbbbb-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    private static func secret(_ length: Int, _ number: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var state = UInt64(number &* 2_654_435_761 &+ length)
        return String(
            decoding: (0..<length).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return alphabet[Int(state >> 58)]
            }, as: UTF8.self)
    }
}
