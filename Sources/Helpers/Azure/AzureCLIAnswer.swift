package import CommandSupport
import Glibc
import Identity
import StrictJSON

package struct AzureCLIAnswer: Sendable {
    private let members: [(String, JSONValue)]
    private let request: AzureCLIRequest

    package init(_ token: IssuedToken, subscription: String?, to request: AzureCLIRequest) {
        self.request = request
        members = [
            ("accessToken", token.secret.reveal().json), ("expiresOn", Self.localTime(token.expiresAt).json),
            // Must be a number for the Azure SDK for .NET.
            ("expires_on", JSONValue(integer: token.expiresAt)), ("subscription", subscription.json),
            ("tenant", token.tenantID.json), ("tokenType", "Bearer"),
        ].filter { $0.1 != .null }
    }

    package var text: String {
        func plain(_ value: JSONValue) -> String { value.string ?? value.serialized() }
        func member(_ name: String) -> JSONValue { members.first { $0.0 == name }?.1 ?? .null }
        func row(_ values: [JSONValue], _ separator: String) -> String {
            values.map { $0 == .null ? "None" : plain($0) }.joined(by: separator) + "\n"
        }
        guard request.form != .none else { return "" }
        let isTable = request.form == .tsv
        switch request.query {
        case nil where isTable: return row(members.map(\.1), "\t")
        case nil: return JSONValue(members).serialized(pretty: true) + "\n"
        case .member(let name):
            let value = member(name)
            // az prints nothing for a missing one.
            guard value != .null else { return "" }
            return (isTable ? plain(value) : value.serialized()) + "\n"
        case .list(let names):
            let values = names.map(member)
            return isTable ? row(values, "\n") : JSONValue.array(values).serialized(pretty: true) + "\n"
        case .object(let pairs):
            let values = pairs.map { ($0.key, member($0.member)) }
            return isTable ? row(values.map(\.1), "\t") : JSONValue(values).serialized(pretty: true) + "\n"
        }
    }

    /// In the local time zone, with six fractional digits: the form that every SDK reads.
    private static func localTime(_ second: Int64) -> String {
        var time = time_t(second)
        var parts = tm()
        localtime_r(&time, &parts)
        func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        let day = "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).000000"
    }
}
