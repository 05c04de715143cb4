package import Identity
import NIOHTTP1
package import StrictJSON

/// One request: GET, or POST of a form or of JSON.
package struct HTTPRequest: Sendable {
    package enum Body: Sendable {
        case form([(name: String, value: String)])
        case json(JSONValue)
    }

    package var address: WebAddress
    /// Nil for GET.
    package var body: Body?
    package var headers: [(name: String, value: String)]
    /// Sent as `Authorization: Bearer`; only user info needs it.
    package var bearer: Secret?

    package init(_ address: WebAddress, body: Body? = nil, headers: [(name: String, value: String)] = [], bearer: Secret? = nil) {
        self.address = address
        self.body = body
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

    /// The first header field of this name, in any case; nil when there is none.
    package func header(_ name: String) -> String? { headers.first(name: name) }

    /// The body as a JSON object, whatever the content type says: providers send JSON as text/html.
    ///
    /// - Throws: `notJSON`, which says so when a web page came instead (atk-A13).
    package func object() throws(WireError) -> JSONObject {
        let value: JSONValue
        do { value = try JSONValue(parsing: body) } catch {
            let looksLikePage = body.prefix(512).first { $0 > 0x20 } == UInt8(ascii: "<")
            throw .notJSON(host: host, status: status, why: looksLikePage ? "a web page" : error.description)
        }
        guard let object = value.object else { throw .notJSON(host: host, status: status, why: "not an object") }
        return object
    }

    /// - Throws: `throttled` for 429, and for 503 with a time to wait; `serverFailure` for every other 5xx. The provider said nothing then.
    func requireService() throws(WireError) {
        switch status {
        case 429: throw .throttled(host: host, retryAfter: retryAfter)
        case 503 where retryAfter != nil: throw .throttled(host: host, retryAfter: retryAfter)
        case 500...: throw .serverFailure(host: host, status: status)
        default: return
        }
    }

    /// `Retry-After` in seconds (RFC 9110 section 10.2.3), at most an hour; the date form is taken as a minute, since clocks differ (atk-E11).
    package var retryAfter: Int? {
        guard let text = header("retry-after") else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 60 }
        return min(Int(text) ?? 3600, 3600)
    }
}
