package struct SandboxRequest: Sendable {
    package var method: String
    package var path: String
    package var query: String
    /// Names in lower case.
    package var headers: [String: String]
    package var body: String

    package init(_ method: String, _ target: String, headers: [String: String] = [:], body: String = "") {
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        self.path = String(halves[0])
        self.query = halves.count > 1 ? String(halves[1]) : ""
        self.headers = headers
        self.body = body
    }

    var segments: [String] { path.split(separator: "/").map(String.init) }
    var queryForm: Form { Form(parsing: query) }
    var bodyForm: Form { Form(parsing: body) }

    /// The endpoints of RFC 8628 and RFC 6749 use the body; browsers send a query.
    var form: Form { method == "POST" ? bodyForm : queryForm }

    var correlationId: String? {
        headers["client-request-id"].flatMap { $0.utf8.count <= 64 && !$0.isEmpty ? $0 : nil }
    }

    /// RFC 6750 section 2.1.
    var bearerToken: String? {
        guard let value = headers["authorization"], value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst("bearer ".count))
    }

    var isCurl: Bool { headers["user-agent"]?.lowercased().hasPrefix("curl/") ?? false }

    func cookie(_ name: String) -> String? {
        for pair in (headers["cookie"] ?? "").split(separator: ";") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else { continue }
            if halves[0].drop(while: { $0 == " " }) == name { return String(halves[1]) }
        }
        return nil
    }
}

package struct SandboxResponse: Sendable {
    package enum Delivery: Sendable, Equatable {
        case whole
        /// Sends less than announced, then closes the connection.
        case cutOff
        /// Inserts spaces before the body, up to this many bytes.
        case swollen(Int)
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: String
    package var delivery: Delivery = .whole
    package var delaySeconds: Double = 0
    /// Whether it is sent only at the next release; see ``FaultScript/releases``.
    package var isHeld = false

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var isForPeople: Bool { header("Location") != nil || header("Content-Type")?.hasPrefix("text/html") == true }

    static func json(_ value: JSON, status: Int = 200, cacheable: Bool = false) -> SandboxResponse {
        // RFC 6749 section 5.1: responses with tokens must not be stored.
        let caching =
            cacheable
            ? [("Cache-Control", "max-age=86400, private")] : [("Cache-Control", "no-store"), ("Pragma", "no-cache")]
        return SandboxResponse(
            status: status, headers: [("Content-Type", "application/json; charset=utf-8")] + caching, body: value.text)
    }

    /// A JSON object as a form, unless the request accepts JSON.
    func formEncoded(for request: SandboxRequest) -> SandboxResponse {
        guard request.headers["accept"]?.lowercased().contains("application/json") != true,
            let members = (try? JSON(parsing: body))?.members
        else { return self }
        var answer = self
        answer.body = Form(members.map { ($0.name, $0.value.string ?? $0.value.text) }).encoded
        answer.headers.removeAll { $0.name == "Content-Type" }
        answer.headers.append(("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"))
        return answer
    }

    static func empty(_ status: Int) -> SandboxResponse {
        SandboxResponse(status: status, headers: [("Cache-Control", "no-store")], body: "")
    }

    static func redirect(to url: String, status: Int = 302) -> SandboxResponse {
        SandboxResponse(
            status: status,
            headers: [("Location", url), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")],
            body: "")
    }
}
