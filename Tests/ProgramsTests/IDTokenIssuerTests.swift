import Foundation
import Identity
import StrictJSON
import Testing
import TokenCache

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// Two issuers of one host that know the same client ID and the same subject.
@Suite struct IDTokenIssuerTests {
    private final class Home {
        let folder: String
        let environment: ProcessEnvironment

        /// - Parameters:
        ///   - issuers: `alpha` and `beta`, whose tokens are stored.
        ///   - isIssuerWritten: false for entries of libraries that do not write it.
        init(_ issuers: [String], isIssuerWritten: Bool) throws {
            let folder = "/tmp/foyer-issuers-\(UUID().uuidString)"
            self.folder = folder
            let variables = [
                "HOME": folder, "FOYER_CONFIG": folder + "/config.toml", "FOYER_STORE": folder + "/tokens.json",
                "XDG_STATE_HOME": folder, "XDG_RUNTIME_DIR": folder,
            ]
            environment = ProcessEnvironment(workingFolder: "/") { variables[$0] }
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            var text = ""
            for name in ["alpha", "beta"] {
                text +=
                    "[clients.\(name)]\nclient_id = \"cli\"\nauthority = \"\(IDTokenIssuerTests.issuer(name))\"\n"
                    + "kind = \"oidc\"\n"
            }
            try SettingsFile(folder + "/config.toml").replace(with: Array(text.utf8))
            try SettingsFile(folder + "/tokens.json").replace(
                with: IDTokenIssuerTests.store(issuers, isIssuerWritten: isIssuerWritten))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }
    }

    private static func issuer(_ name: String) -> String { "https://id.example/realms/\(name)" }

    private static func jwt(_ name: String) -> String {
        func part(_ value: JSONValue) -> String { Base64URL.encode(Array(value.serialized().utf8)) }
        return part(["alg": "RS256"]) + "."
            + part([
                "iss": .string(issuer(name)), "aud": "cli", "sub": "alice", "exp": 4_000_000_000, "iat": 1_700_000_000,
            ]) + ".c2ln"
    }

    private static func store(_ issuers: [String], isIssuerWritten: Bool) -> [UInt8] {
        var sections: [String: [JSONMember]] = [:]
        func add(_ section: String, _ key: String, _ name: String, _ members: [(String, JSONValue)]) {
            let realm = "realms/" + name
            let common: [(String, JSONValue)] = [
                ("home_account_id", "alice"), ("environment", "id.example"), ("realm", realm.json),
            ]
            let issuer = isIssuerWritten ? [("issuer", Self.issuer(name).json)] : []
            sections[section, default: []].append(
                JSONMember(name: "alice-id.example-\(key)-\(realm)-", value: JSONValue(common + issuer + members)))
        }
        for name in issuers {
            add(
                "Account", "account", name,
                [
                    ("local_account_id", "alice"), ("username", "alice@x.example"), ("authority_type", "MSSTS"),
                ])
            add(
                "RefreshToken", "refreshtoken-cli-" + name, name,
                [
                    ("credential_type", "RefreshToken"), ("client_id", "cli"), ("secret", "r"),
                ])
            add(
                "IdToken", "idtoken-cli", name,
                [
                    ("credential_type", "IdToken"), ("client_id", "cli"), ("secret", jwt(name).json),
                ])
        }
        return Array(
            JSONValue.object(
                JSONObject(sections.map { JSONMember(name: $0.key, value: .object(JSONObject($0.value))) })
            ).serialized().utf8)
    }

    private static func idToken(_ home: Home, _ change: (inout TokenOptions) -> Void) throws -> String? {
        let call = try TokenCall(TokenOptions(change), environment: home.environment) { _ in }
        return call.storedIDToken(at: Date())?.secret.reveal()
    }

    @Test(arguments: ["alpha", "beta"], [true, false])
    func `An ID token of one issuer is never handed out as another's`(name: String, isIssuerWritten: Bool) throws {
        let other = name == "alpha" ? "beta" : "alpha"
        let alone = try Home([other], isIssuerWritten: isIssuerWritten)
        let ways: [(inout TokenOptions) -> Void] = [
            { $0.client = name }, { ($0.clientID, $0.authority) = ("cli", Self.issuer(name)) },
        ]
        for way in ways {
            #expect(try Self.idToken(alone, way) == nil)
            // Named by a user, the account of the other issuer is reported.
            #expect {
                try Self.idToken(alone) {
                    way(&$0); $0.account = "alice"
                }
            } throws: {
                ($0 as? Failure)?.code == .notFound
            }
        }
        let line = ["get-token", "--oidc-issuer-url=" + Self.issuer(name), "--oidc-client-id=cli"]
        func plugin(_ home: Home) throws -> String? {
            var query = try #require(OIDCLoginArguments(line) { _ in true }).query(cluster: nil, home.environment)
            query.place.mustBeNamed = nil
            let context = try CommandContext(query.options, environment: home.environment)
            return try #require(try ProgramCall(query, context, isAsked: false)).cachedToken()?.secret.reveal()
        }
        #expect(try plugin(alone) == nil)
        guard isIssuerWritten else { return }
        let both = try Home(["alpha", "beta"], isIssuerWritten: true)
        for way in ways { #expect(try Self.idToken(both, way) == Self.jwt(name)) }
        #expect(try plugin(both) == Self.jwt(name))
    }

    @Test func `Without a client, two issuers of the account are ambiguous, and both are named`() throws {
        let both = try Home(["alpha", "beta"], isIssuerWritten: true)
        for account in [nil, "alice", "alice@x.example"] {
            #expect { try Self.idToken(both) { $0.account = account } } throws: { error in
                guard let failure = error as? Failure, failure.code == .ambiguous else { return false }
                let hint = "\(failure.hint.map { "\($0)" } ?? "")"
                return hint.contains("--client alpha") && hint.contains("--client beta")
            }
        }
        // One of them is no question.
        #expect(try Self.idToken(Home(["beta"], isIssuerWritten: true)) { _ in } == Self.jwt("beta"))
    }
}
