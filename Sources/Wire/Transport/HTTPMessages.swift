package import FoundationEssentials
package import Identity
import NIOHTTP1
package import StrictJSON

/// A request: GET, POST of a form or JSON, or DELETE.
package struct HTTPRequest: Sendable {
    package enum Body: Sendable {
        case form([(name: String, value: String)])
        case json(JSONValue)
    }

    /// Whether to resend the request once after a temporary failure.
    package enum Resend: Sendable {
        case never
        /// If the connection failed, or after a 5xx without a time to wait: nothing is spent then.
        case ifUnspent
        /// Also if the connection was lost after sending.
        case always
    }

    package var address: WebAddress
    package var body: Body?
    /// Default: `always` for GET, `ifUnspent` for POST.
    package var resend: Resend
    package var headers: [(name: String, value: String)]
    /// Sent as `Authorization: Bearer`.
    package var bearer: Secret?
    /// Whether it is a DELETE without a body.
    package var isDeletion = false
    /// The client's secret in all forms that the request contains; empty for a public client.
    var clientSecrets: [Secret] = []
    /// Further secrets, in the address or in JSON, which no text of the reply may show.
    package var secrets: [Secret] = []
    /// How long the exchange can take; nil for the settings' time.
    package var patience: Duration?
    /// Called once the connection exists, as the body of the request is sent.
    package var onSent: (@Sendable () -> Void)?
    /// A header that is created for each attempt.
    package var proof: (@Sendable () throws(WireError) -> (name: String, value: String))?

    package init(
        _ address: WebAddress, body: Body? = nil, headers: [(name: String, value: String)] = [], bearer: Secret? = nil,
        resend: Resend? = nil
    ) {
        self.address = address
        self.body = body
        self.resend = resend ?? (body == nil ? .always : .ifUnspent)
        self.headers = headers
        self.bearer = bearer
    }
}

package struct HTTPReply: Sendable {
    package let host: String
    package let status: Int
    package let body: [UInt8]
    let headers: HTTPHeaders
    /// By this machine's clock.
    var received = Date()
    /// Secrets of the request, which no text of this may show.
    var sent = SecretRedactor.none
    /// Whether the request had a client secret.
    var hadClientSecret = false

    package func header(_ name: String) -> String? { headers.first(name: name) }

    /// The body as a JSON object, whatever its content type: providers send JSON as text/html. Sent secrets are removed
    /// except in members for credentials. `notJSON` also says if it is a web page.
    package func object() throws(WireError) -> JSONObject {
        let value: JSONValue
        do { value = try JSONValue(parsing: body) } catch {
            let looksLikePage = body.prefix(512).first { $0 > 0x20 } == UInt8(ascii: "<")
            throw .notJSON(host: host, status: status, why: looksLikePage ? "a web page" : error.description)
        }
        guard let object = value.object else { throw .notJSON(host: host, status: status, why: "not an object") }
        return sent.removed(from: object)
    }

    /// Like ``object()``, but also accepts a form, whatever its content type: each field becomes a string. No JSON
    /// object begins with a letter.
    package func objectOrForm() throws(WireError) -> JSONObject {
        guard let first = body.first, (first | 0x20) >= UInt8(ascii: "a"), (first | 0x20) <= UInt8(ascii: "z"),
            let fields = FormEncoding.decode(String(decoding: body, as: UTF8.self)), !fields.values.contains("")
        else { return try object() }
        return sent.removed(from: JSONObject(fields.map { JSONMember(name: $0.key, value: .string($0.value)) }))
    }

    package func headers(named name: String) -> [String] { headers[name] }

    /// - Throws: `throttled` for 429, for 5xx with a time to wait, and for 4xx with one that is not an OAuth error;
    ///   `serverFailure` for other 5xx and for 408, a request that did not arrive in time.
    func requireService() throws(WireError) {
        switch status {
        case 429: throw .throttled(host: host, retryAfter: retryAfter)
        case 500... where retryAfter != nil: throw .throttled(host: host, retryAfter: retryAfter)
        case 400..<500 where retryAfter != nil && (try? object()["error"]) == nil:
            throw .throttled(host: host, retryAfter: retryAfter)
        case 408, 500...: throw .serverFailure(host: host, status: status)
        default: return
        }
    }

    /// The provider's clock (`Date`).
    package var date: Date? { header("date").flatMap { HTTPDate.parse($0, now: received) } }

    /// Seconds; MSAL's own limit is two hours by mistake.
    static let longestWait = 3600

    /// `Retry-After` (RFC 9110 section 10.2.3) in seconds, at most an hour; nil if missing, past or invalid.
    ///
    /// A date is relative to the provider's `Date`, since clocks differ. MSAL for Objective-C ignores dates.
    package var retryAfter: Int? {
        guard let text = header("retry-after") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            let seconds = min(Int(text) ?? Self.longestWait, Self.longestWait)
            return seconds > 0 ? seconds : nil
        }
        guard let until = HTTPDate.parse(text, now: received) else { return nil }
        let seconds = until.timeIntervalSince(date ?? received).rounded(.up)
        return seconds > 0 ? Int(min(seconds, Double(Self.longestWait))) : nil
    }
}

extension HTTPReply {
    /// A reply that did not come over a network.
    package init(
        to request: HTTPRequest, status: Int, body: [UInt8], headers: [(String, String)] = [], received: Date
    ) {
        self.init(
            host: request.address.hostAndPort, status: status, body: body, headers: HTTPHeaders(headers),
            received: received, sent: SecretRedactor(request), hadClientSecret: !request.clientSecrets.isEmpty)
    }
}
