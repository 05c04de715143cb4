/// `/_sandbox/…`: how a test bends the provider from outside. JSON in, JSON out.
extension ProviderState {
    mutating func control(_ inquiry: SandboxRequest, _ path: [String], base: String) -> Answer {
        // A page in a browser must not be able to steer the sandbox: browsers tell where such a request comes from.
        guard inquiry.headers["origin"] == nil else { return .json(.members(["error": "no pages here"]), status: 403) }
        if inquiry.method == "GET", path == ["mailbox"] { return .json(mailbox(of: inquiry.queryForm["user"])) }
        var body = JSON.object([])
        if !inquiry.body.isEmpty {
            guard let read = try? JSON(parsing: inquiry.body) else {
                return .json(.members(["error": "the body is not JSON"]), status: 400)
            }
            body = read
        }
        do throws(OAuthErrorResponse) {
            return .json(try obey("\(inquiry.method) \(path.joined(separator: "/"))", body, base: base))
        } catch {
            return .json(
                .members(["error": .string(error.error), "error_description": .string(error.description)]),
                status: error.status)
        }
    }

    private mutating func obey(_ command: String, _ body: JSON, base: String) throws(OAuthErrorResponse) -> JSON {
        switch command {
        case "GET state": return state
        case "GET habits":
            let profiles = Quirk.profiles.sorted { $0.key < $1.key }
            return .members([
                "habits": .strings(Quirk.allCases.map(\.rawValue)),
                "profiles": .object(
                    profiles.map { JSON.Member(name: $0.key, value: .strings($0.value.map(\.rawValue))) }),
            ])
        case "POST reset": reset()
        case "POST faults":
            var read: [Fault] = []
            for item in body.array ?? body["faults"]?.array ?? [body] { read += try Fault.read(item) }
            guard faults.count + read.count <= 256 else {
                throw OAuthErrorResponse("invalid_request", "too many faults")
            }
            faults += read
        case "DELETE faults": faults = []
        case "POST clock": clockAhead = try advanced(by: body["advance"]?.int)
        case "POST approve":
            try approve(
                userCode: try text(body, "user_code"), username: body["username"]?.string ?? "",
                scopes: body["scopes"]?.array?.compactMap(\.string), deny: body["deny"]?.bool ?? false)
        case "POST revoke":
            let count = revoke(username: try text(body, "username"), clientId: body["client"]?.string)
            return .members(["revoked": .int(count)])
        case "POST auto":
            let username = body["username"]?.string
            if let username, user(username) == nil {
                throw OAuthErrorResponse("invalid_request", "there is no user \(username)")
            }
            auto = username
        case "POST issue":
            return try issue(
                username: try text(body, "username"), clientId: try text(body, "client_id"),
                tenant: body["tenant"]?.string ?? "common",
                scope: body["scope"]?.string ?? "openid profile offline_access", nonce: body["nonce"]?.string,
                base: base)
        case "POST demand": try demand(body["context"]?.string, tenant: try text(body, "tenant"))
        case "POST keys/rotate":
            do { try rotateKeys() } catch {
                throw OAuthErrorResponse("server_error", "no new key could be made", status: 500)
            }
        default:
            throw OAuthErrorResponse(
                "not_found", "the control endpoint does not know \(command.prefix(80))", status: 404)
        }
        return .members(["ok": true])
    }

    func advanced(by seconds: Int?) throws(OAuthErrorResponse) -> Int {
        guard let seconds else { throw OAuthErrorResponse("invalid_request", "advance is a number of seconds") }
        let (sum, overflow) = clockAhead.addingReportingOverflow(seconds)
        // A century either way is more than any test needs, and keeps all sums below far from the edge.
        guard !overflow, abs(sum) <= 3_155_760_000 else {
            throw OAuthErrorResponse("invalid_request", "that is too far away")
        }
        return sum
    }

    private func text(_ body: JSON, _ name: String) throws(OAuthErrorResponse) -> String {
        guard let value = body[name]?.string else { throw OAuthErrorResponse("invalid_request", "\(name) is missing") }
        return value
    }

    private var state: JSON {
        .members([
            "requests": .object(requests.keys.sorted().map { JSON.Member(name: $0, value: .int(requests[$0] ?? 0)) }),
            "clock": .members(["now": .int(now), "ahead": .int(clockAhead)]),
            "auto": auto.map { .string($0) } ?? .null,
            "faults": .int(faults.count), "misplacedTokens": .strings(misplaced),
            "habits": .strings(Quirk.allCases.filter(has).map(\.rawValue)),
            "pendingDevices": .array(
                devices.values.filter { $0.state == .pending && $0.expiresAt > now }.map {
                    .members(["user_code": .string($0.userCode), "client_id": .string($0.clientId)])
                }),
            "authorities": authorities,
            "liveRefreshTokens": .int(refreshTokens.values.count { $0.state == .live }),
        ])
    }
}
