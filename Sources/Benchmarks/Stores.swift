import Glibc
import StrictJSON

/// Stores as MSAL for Python writes them, with made-up tokens of a real token's length.
enum Stores {
    static let clientID = "11111111-2222-3333-4444-555555555555"
    static let tenant = "aaaaaaaa-0000-4000-8000-000000000001"
    static let authority = "https://login.microsoftonline.com/\(tenant)"
    private static let environment = "login.microsoftonline.com"

    static func username(_ number: Int) -> String { "person\(number)@contoso.example" }
    static func home(_ number: Int) -> String { "\(guid(number)).\(tenant)" }

    /// - Parameter isLean: with short tokens and no white space, as a store of fifty thousand full ones is larger than
    ///   what is read.
    static func store(accounts: Int, tokensEach: Int, isLean: Bool = false) -> String {
        let length = isLean ? 16 : 1
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
                            "credential_type": "AccessToken", "secret": secret(2400 / length, number),
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
                        "credential_type": "RefreshToken", "secret": secret(1400 / length, number),
                        "home_account_id": home,
                        "environment": environment,
                        "client_id": clientID, "target": "User.Read", "last_modification_time": "\(now)",
                    ]))
            identity.append(
                entry(
                    "\(home)-\(environment)-idtoken-\(clientID)-\(tenant)-",
                    [
                        "credential_type": "IdToken", "secret": secret(1000 / length, number), "home_account_id": home,
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
        return JSONValue.object(JSONObject(sections)).serialized(pretty: !isLean)
    }

    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_size : 0
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
