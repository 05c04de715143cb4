package import CommandSupport
package import FoundationEssentials
import Identity
import StrictJSON

/// A file that holds a token, alone and without a newline, for programs that read theirs from one. It is told what
/// `foyer token` is told by its options.
package struct TokenFile: Hashable, Sendable {
    /// Raw values are what `--json` prints.
    package enum Kind: String, Hashable, Sendable, CaseIterable { case idToken, accessToken }

    /// How it was written last, or why it was not.
    package struct Outcome: Hashable, Sendable {
        package var at: Date
        /// When what is in the file expires; nil where there is nothing.
        package var expiresOn: Date?
        /// The code of the failure.
        package var error: String?

        package init(at: Date, expiresOn: Date? = nil, error: String? = nil) {
            (self.at, self.expiresOn, self.error) = (at, expiresOn, error)
        }
    }

    /// Absolute.
    package var path: String
    package var kind: Kind
    package var client: String?
    package var clientID: String?
    package var authority: String?
    /// Whose tokens, by the home account id: a name may be another's tomorrow.
    package var account: String
    package var tenant: String?
    package var scopes: [String]
    package var store: String?
    package var config: String?
    package var last: Outcome?

    /// - Parameter options: as the command line has them, with paths that hold from anywhere.
    package init(path: String, kind: Kind, _ options: TokenOptions, account: String) {
        self.path = path
        self.kind = kind
        let common = options.common
        (client, clientID, authority, scopes) = (common.client, common.clientID, common.authority, common.scopes)
        (store, config, tenant) = (common.store, common.config, options.asking.tenant)
        self.account = account
    }

    /// Nobody is asked.
    var options: TokenOptions {
        TokenOptions(
            common: CommonOptions(
                client: client, clientID: clientID, authority: authority, scopes: scopes, account: account,
                store: store, config: config, neverAsks: true), asking: SignInOptions(tenant: tenant), silent: true)
    }

    /// Nil for an object that is none.
    init?(_ value: JSONValue) {
        guard let path = value["path"]?.string, path.hasPrefix("/"), !path.utf8.contains(0),
            let kind = value["kind"]?.string.flatMap({ Kind(rawValue: $0) }), let account = value["account"]?.string
        else { return nil }
        self.path = path
        self.kind = kind
        self.account = account
        client = value["client"]?.string
        clientID = value["clientId"]?.string
        authority = value["authority"]?.string
        tenant = value["tenant"]?.string
        scopes = (value["scopes"]?.array ?? []).compactMap(\.string)
        store = value["store"]?.string
        config = value["config"]?.string
        if let second = value["last"]?["at"]?.integer {
            last = Outcome(
                at: Date(timeIntervalSince1970: TimeInterval(second)),
                expiresOn: value["last"]?["expiresOn"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) },
                error: value["last"]?["error"]?.string)
        }
    }

    var json: JSONValue {
        func second(_ date: Date) -> JSONValue { JSONValue(integer: Int64(date.timeIntervalSince1970.rounded(.down))) }
        return JSONValue(
            ("path", path.json), ("kind", kind.rawValue.json), ("client", client.json), ("clientId", clientID.json),
            ("authority", authority.json), ("account", account.json), ("tenant", tenant.json),
            ("scopes", .array(scopes.map(\.json))), ("store", store.json), ("config", config.json),
            (
                "last",
                last.map { last in
                    JSONValue(
                        ("at", second(last.at)), ("expiresOn", last.expiresOn.map(second) ?? .null),
                        ("error", last.error.json))
                } ?? .null
            ))
    }
}
