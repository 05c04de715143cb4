package import FoundationEssentials
package import Identity
import NIOHTTP1
package import StrictJSON

/// One request: GET, or POST of a form or of JSON.
package struct HTTPRequest: Sendable {
    package enum Body: Sendable {
        case form([(name: String, value: String)])
        case json(JSONValue)
    }

    /// Whether the request may be sent a second time after it met a failure that may pass.
    package enum Resend: Sendable {
        case never
        /// When no connection came about, or the provider said 5xx without asking to wait: it has spent nothing then.
        case ifUnspent
        /// Also when the connection broke after the request went out.
        case always
    }

    package var address: WebAddress
    /// Nil for GET.
    package var body: Body?
    /// `always` for GET and `ifUnspent` for POST unless said otherwise.
    package var resend: Resend
    package var headers: [(name: String, value: String)]
    /// Sent as `Authorization: Bearer`; only user info needs it.
    package var bearer: Secret?
    /// A header that is made again each time the request is sent.
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

/// What came back, its body bounded.
package struct HTTPReply: Sendable {
    package let host: String
    package let status: Int
    package let body: [UInt8]
    let headers: HTTPHeaders
    /// When it came, by the clock of this machine.
    var received = Date()
    /// What the request carried and no text of this may show.
    var sent = SentSecrets.none

    /// The first header field of this name, in any case; nil when there is none.
    package func header(_ name: String) -> String? { headers.first(name: name) }

    /// The body as a JSON object, whatever the content type says: providers send JSON as text/html. Of what was sent
    /// nothing is in it but under the names of credentials.
    ///
    /// - Throws: `notJSON`, which says so when a web page came instead.
    package func object() throws(WireError) -> JSONObject {
        let value: JSONValue
        do { value = try JSONValue(parsing: body) } catch {
            let looksLikePage = body.prefix(512).first { $0 > 0x20 } == UInt8(ascii: "<")
            throw .notJSON(host: host, status: status, why: looksLikePage ? "a web page" : error.description)
        }
        guard let object = value.object else { throw .notJSON(host: host, status: status, why: "not an object") }
        return sent.removed(from: object)
    }

    /// Every header field of this name, in order.
    package func headers(named name: String) -> [String] { headers[name] }

    /// - Throws: `throttled` for 429, for every 5xx with a time to wait, and for a 4xx with one that is no OAuth error;
    ///   `serverFailure` for the other 5xx and for 408, a request that the provider waited for in vain. The provider
    ///   said nothing then.
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

    /// When the provider sent this, by its own clock (`Date`); nil when it does not say.
    package var date: Date? { header("date").flatMap { HTTPDate.parse($0, now: received) } }

    /// Longest that anybody may make us wait, seconds; MSAL's own bound is two hours by mistake.
    static let longestWait = 3600

    /// `Retry-After` (RFC 9110 section 10.2.3) in seconds, at most an hour; nil when there is none, or it is over or
    /// not to be understood.
    ///
    /// A date counts from the provider's own `Date`, since clocks differ; from ours when it sends none. MSAL for
    /// Objective-C ignores dates.
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
