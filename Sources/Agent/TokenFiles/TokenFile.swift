package import CommandSupport
package import FoundationEssentials
import Identity
package import StrictJSON

/// A file with a token and no newline, for programs that read their token from a file. It has the options of `foyer
/// token`.
package struct TokenFile: JSONStored, Hashable, Sendable {
    /// Raw values are used in `--json`.
    package enum Kind: String, Hashable, Sendable, CaseIterable { case idToken, accessToken }

    package struct Outcome: JSONRecord, Hashable, Sendable {
        package var at = Date()
        /// The expiry of the token in the file; nil without a token.
        package var expiresOn: Date?
        package var error: String?

        package init(at: Date, expiresOn: Date? = nil, error: String? = nil) {
            (self.at, self.expiresOn, self.error) = (at, expiresOn, error)
        }

        package init() {}

        package mutating func describe(_ member: inout JSONMembers) {
            member("at", &at, .time)
            member("expiresOn", &expiresOn, .time)
            member("error", &error, .text)
        }
    }

    /// Absolute.
    package var path: String
    package var kind: Kind
    /// Never prompts. The account is given by home account ID, as another account may get its username later.
    package var options: TokenOptions
    package var last: Outcome?

    /// - Parameter options: from the command line, with absolute paths.
    package init(path: String, kind: Kind, _ options: TokenOptions, account: String) {
        self.path = path
        self.kind = kind
        self.options = options.forOthers
        self.options.account = account
    }

    package var account: String { options.account ?? "" }

    /// - Parameter homeAccountID: of an account without a known issuer.
    func isOf(_ homeAccountID: String) -> Bool { HomeAccountID.isSame(account, homeAccountID, issuer: nil) }

    /// Nil for an invalid object.
    package init?(_ value: JSONValue) {
        guard let path = value["path"]?.string, path.hasPrefix("/"), !path.utf8.contains(0),
            let kind = value["kind"]?.string.flatMap({ Kind(rawValue: $0) }), let account = value["account"]?.string
        else { return nil }
        var options = TokenOptions()
        for member in value.object?.members ?? [] where member.value != .null {
            do throws(Failure) { _ = try RequestField.read(member, .process, into: &options) } catch { return nil }
        }
        self.init(path: path, kind: kind, options, account: account)
        last = value["last"].flatMap { Outcome($0) }
    }

    package var json: JSONValue {
        let head = [JSONMember(name: "path", value: path.json), JSONMember(name: "kind", value: kind.rawValue.json)]
        let end = [JSONMember(name: "last", value: last?.json ?? .null)]
        return .object(JSONObject(head + RequestField.members(of: options, .process) + end))
    }
}
