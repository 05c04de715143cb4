/// The control endpoint `/_sandbox/…` for tests, with JSON requests and responses.
extension ProviderState {
    mutating func control(_ request: SandboxRequest, _ path: [String], base: String) -> SandboxResponse {
        // Web pages must not control the sandbox; browsers send the origin of their requests.
        guard request.headers["origin"] == nil else { return .json(.members(["error": "no pages here"]), status: 403) }
        if request.method == "GET", path == ["mailbox"] {
            return .json(mailbox.document(of: request.queryForm["user"]))
        }
        if request.method == "GET", path == ["git"] {
            return GitCheck(tokens: tokens, people: people, now: now).answer(request)
        }
        var body = JSON.object([])
        if !request.body.isEmpty {
            guard let read = try? JSON(parsing: request.body) else {
                return .json(.members(["error": "the body is not JSON"]), status: 400)
            }
            body = read
        }
        do throws(OAuthErrorResponse) {
            return .json(try obey("\(request.method) \(path.joined(separator: "/"))", body, base: base))
        } catch {
            return .json(
                .members(["error": .string(error.error), "error_description": .string(error.description)]),
                status: error.status)
        }
    }

    private mutating func obey(_ command: String, _ body: JSON, base: String) throws(OAuthErrorResponse) -> JSON {
        switch command {
        case "GET state": return state
        case "GET quirks":
            let profiles = Quirk.profiles.sorted { $0.key < $1.key }
            return .members([
                "quirks": .strings(Quirk.allCases.map(\.rawValue)),
                "profiles": .object(
                    profiles.map { JSON.Member(name: $0.key, value: .strings($0.value.map(\.rawValue))) }),
            ])
        case "POST reset": reset()
        case "POST faults":
            var read: [Fault] = []
            for item in body.array ?? body["faults"]?.array ?? [body] { read += try Fault.read(item) }
            guard script.faults.count + read.count <= FaultScript.limit else {
                throw OAuthErrorResponse("invalid_request", "too many faults")
            }
            script.add(read)
        case "DELETE faults", "POST faults/clear": script.clear()
        case "POST release": script.release()
        case "POST clock": try clock.advance(by: body["advance"]?.int)
        case "POST approve":
            try approve(
                userCode: try text(body, "user_code"), username: body["username"]?.string ?? "",
                scopes: body["scopes"]?.array?.compactMap(\.string), deny: body["deny"]?.bool ?? false)
        case "POST revoke":
            let count = tokens.revoke(username: try text(body, "username"), clientId: body["client"]?.string)
            return .members(["revoked": .int(count)])
        case "POST auto":
            let username = body["username"]?.string
            if let username, people.user(username) == nil {
                throw OAuthErrorResponse("invalid_request", "there is no user \(username)")
            }
            browser.auto = username
        case "POST issue":
            return try issue(
                username: try text(body, "username"), clientId: try text(body, "client_id"),
                tenant: body["tenant"]?.string ?? "common",
                scope: body["scope"]?.string ?? "openid profile offline_access", nonce: body["nonce"]?.string,
                base: base)
        case "POST demand": try contextDemands.demand(body["context"]?.string, tenant: try text(body, "tenant"))
        case "POST keys/rotate":
            let name = body["alg"]?.string ?? SigningAlgorithm.rs256.rawValue
            guard let algorithm = SigningAlgorithm(rawValue: name) else {
                throw OAuthErrorResponse("invalid_request", "there is no algorithm \(name.prefix(80))")
            }
            do { try keys.rotate(to: algorithm) } catch {
                throw OAuthErrorResponse("server_error", "no new key could be made", status: 500)
            }
        default:
            throw OAuthErrorResponse(
                "not_found", "the control endpoint does not know \(command.prefix(80))", status: 404)
        }
        return .members(["ok": true])
    }

    private func text(_ body: JSON, _ name: String) throws(OAuthErrorResponse) -> String {
        guard let value = body[name]?.string else { throw OAuthErrorResponse("invalid_request", "\(name) is missing") }
        return value
    }

    private var state: JSON {
        .members([
            "requests": .object(
                requests.counts.sorted { $0.key < $1.key }.map { JSON.Member(name: $0.key, value: .int($0.value)) }),
            "userAgents": .strings(requests.userAgents.sorted()), "skus": .strings(requests.skus.sorted()),
            "clock": .members(["now": .int(now), "ahead": .int(clock.ahead)]),
            "auto": browser.auto.map { .string($0) } ?? .null,
            "faults": .int(script.faults.count), "misplacedTokens": .strings(requests.misplaced),
            "quirks": .strings(Quirk.allCases.filter(has).map(\.rawValue)),
            "pendingDevices": .array(
                devices.pending(at: now).map {
                    .members([
                        "user_code": .string($0.userCode), "client_id": .string($0.clientId),
                        "issuer": .string($0.issuer.identifier),
                    ])
                }),
            "authorities": origins.authorities,
            "liveRefreshTokens": .int(tokens.refresh.values.count { $0.state == .live }),
        ])
    }
}
