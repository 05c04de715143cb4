import FoundationEssentials
import Identity
import StrictJSON
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A store in a folder of its own, which goes with it.
final class Store {
    let folder: String
    let path: String

    init(_ content: [UInt8]? = nil, name: String = "token_cache.json") throws {
        var template = Array("/tmp/foyer-test-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        folder = String(cString: made)
        path = folder + "/" + name
        if let content { try write(content) }
    }

    convenience init(fixture: String, name: String = "token_cache.json") throws {
        try self.init(Fixture.bytes(fixture), name: name)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var cache: TokenCache { TokenCache(path: path, lockWait: .milliseconds(200), retryPause: 1000) }

    func write(_ content: [UInt8], to other: String? = nil, mode: mode_t = 0o600) throws {
        let descriptor = open(other ?? path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(descriptor >= 0)
        var rest = content[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            try #require(count > 0)
            rest = rest.dropFirst(count)
        }
        fchmod(descriptor, mode)
        close(descriptor)
    }

    func bytes(_ other: String? = nil) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: other ?? path)))
    }

    func json() throws -> JSONValue { try JSONValue(parsing: bytes(), limits: JSONLimits(maximumBytes: 1 << 26)) }

    /// Changes the entries of a section as a program would that knows nothing of this one, and writes the file anew.
    func change(_ section: String, _ body: (inout [JSONMember]) throws -> Void) throws {
        var members = try json().object?.members ?? []
        let index = try #require(members.firstIndex { $0.name == section })
        var entries = members[index].value.object?.members ?? []
        try body(&entries)
        members[index].value = .object(JSONObject(entries))
        try write(Array(JSONValue.object(JSONObject(members)).serialized(pretty: true).utf8))
    }

    var mode: UInt32 {
        var info = stat()
        return lstat(path, &info) == 0 ? UInt32(info.st_mode) & 0o7777 : 0
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }
}

enum Fixture {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return try Array(Data(contentsOf: URL(filePath: "/\(folder)/Fixtures/\(name).json")))
    }

    static func snapshot(_ name: String) throws -> CacheSnapshot { try CacheSnapshot(bytes(name), path: name) }
}

/// Names that the fixtures use.
enum World {
    static let azureCLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
    static let powerShell = "1950a258-227b-4e31-a9cf-717495945fc2"
    static let ownClient = "11111111-aaaa-4bbb-8ccc-000000000001"
    static let homeTenant = "c0c0c0c0-0000-4000-8000-000000000001"
    static let guestTenant = "fabfabfa-0000-4000-8000-000000000002"
    static let alice = "00000001-1111-4222-8333-000000000001.c0c0c0c0-0000-4000-8000-000000000001"
    static let bob = "00000002-1111-4222-8333-000000000002.fabfabfa-0000-4000-8000-000000000002"
    static let publicCloud = "login.microsoftonline.com"
    static let management = "https://management.core.windows.net//.default"
    /// The clock of the fixtures: their tokens live 4,799 seconds from here.
    static let now = Date(timeIntervalSince1970: 1_893_456_000)

    static func query(
        _ home: String = alice, _ environment: String = publicCloud, realms: [String] = [], client: String = azureCLI,
        _ scopes: ScopeSet = [],
        tokenType: String = "Bearer"
    ) -> CredentialQuery {
        CredentialQuery(
            homeAccountID: home, environment: environment, realms: realms, clientID: client, scopes: scopes,
            tokenType: tokenType)
    }

    static func record(
        client: String = ownClient, home: String = alice, environment: String = publicCloud, realm: String = homeTenant,
        scopes: ScopeSet = ["User.Read"], access: String = "FAKE-AT-new", refresh: String? = "FAKE-RT-new",
        at: Date = now
    ) -> TokenRecord {
        TokenRecord(
            clientID: client, homeAccountID: home, environment: environment, realm: realm,
            localAccountID: String(home.prefix(36)),
            username: "alice@contoso.com", name: "Alice \u{201C}É\u{201D}", accessToken: Secret(access), scopes: scopes,
            cachedAt: at,
            expiresOn: at.addingTimeInterval(3599.7), refreshToken: refresh.map(Secret.init),
            idToken: Secret("eyJ.FAKE.x"),
            clientInfo: "eyJmYWtlIjoxfQ")
    }
}

/// Whether two lists of accounts are the same in every detail.
func isSame(_ left: [Account], _ right: [Account]) -> Bool { left.elementsEqual(right) { $0.hasSameContent(as: $1) } }

/// The situation of the error that a body throws.
func situation(_ body: () throws -> Void) -> StoreError.Situation? {
    do {
        try body()
        return nil
    } catch { return (error as? StoreError)?.situation }
}
