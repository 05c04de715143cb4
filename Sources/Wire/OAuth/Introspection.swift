package import Identity
package import StrictJSON

/// A server's answer about an access token. For display, and with ``TokenOwner`` for naming an account.
package enum Introspection {
    package enum Answer: Sendable, Hashable {
        /// The server accepts the token. The members are as RFC 7662 section 2.2 names them, as far as the server's own
        /// form has their meaning; numbers in strings are numbers.
        case accepted(JSONObject)
        /// Expired, revoked or never issued: servers do not say which.
        case rejected
    }

    /// Where to ask, and how. A token is only sent to the server that issued it.
    package enum Form: Hashable, Sendable {
        /// RFC 7662 section 2.
        case standard(WebAddress, clientID: String, ClientAuthentication?)
        /// A form with the token as `access_token`.
        case tokenInfo(WebAddress)
        /// With the token as a bearer token.
        case bearer(WebAddress, scopesHeader: String?)

        package var host: String { address.hostAndPort }

        var address: WebAddress {
            switch self {
            case .standard(let address, _, _), .tokenInfo(let address), .bearer(let address, _): address
            }
        }
    }

    /// The forms to try, in order. Introspection (RFC 7662) is often closed to clients without a secret, so the account
    /// and userinfo endpoints follow.
    ///
    /// - Parameters:
    ///   - server: the known server at the authority.
    ///   - account: the address that names the account, if there is one.
    ///   - authentication: nil for a public client.
    package static func forms(
        _ server: KnownServer?, account: AccountEndpoint?, clientID: String,
        authentication: ClientAuthentication?, _ metadata: ProviderMetadata
    ) -> [Form] {
        var forms: [Form] = []
        switch server?.tokenInfo {
        case .form(let place): forms = place.beside(metadata.token).map { [.tokenInfo($0)] } ?? []
        case .bearer(let place): forms = place.beside(metadata.token).map { [.bearer($0, scopesHeader: nil)] } ?? []
        case .accountHeader(let name): forms = account.map { [.bearer($0.address, scopesHeader: name)] } ?? []
        case nil: break
        }
        if let introspection = metadata.introspection {
            forms.append(.standard(introspection, clientID: clientID, authentication))
        }
        if let account, server?.tokenInfo == nil { forms.append(.bearer(account.address, scopesHeader: nil)) }
        if let userInfo = metadata.userInfo { forms.append(.bearer(userInfo, scopesHeader: nil)) }
        return forms
    }

    /// - Returns: nil if the server does not answer this client: an introspection endpoint may want a secret.
    /// - Throws: ``WireError`` without a usable response.
    package static func ask(_ form: Form, about token: Secret, transport: Transport)
        async throws(WireError) -> Answer?
    {
        let address = form.address
        guard address.isSecure || address.isLoopback else {
            throw .badEndpoint(name: "introspection endpoint", .insecure)
        }
        var request: HTTPRequest
        switch form {
        case .standard(_, let clientID, let authentication):
            request = HTTPRequest(
                address,
                body: .form([
                    ("token", token.reveal()), ("token_type_hint", "access_token"), ("client_id", clientID),
                ]), resend: .always)
            request.authenticate(clientID, authentication)
        case .tokenInfo:
            request = HTTPRequest(address, body: .form([("access_token", token.reveal())]), resend: .always)
        case .bearer: request = HTTPRequest(address, bearer: token)
        }
        request.secrets = [token]
        let reply = try await transport.send(request)
        try reply.requireService()
        switch form {
        case .standard:
            guard reply.status == 200 else { return nil }
            let object = try reply.object()
            return object["active"] == .bool(true) ? .accepted(object) : .rejected
        case .tokenInfo:
            if reply.status == 400 || reply.status == 401 { return .rejected }
            guard reply.status == 200 else { return nil }
            return .accepted(Self.numbered(try reply.object()))
        case .bearer(_, let header):
            if reply.status == 401 { return .rejected }
            guard reply.status == 200 else { return nil }
            var object = try reply.object()
            // Slack sends errors with 200.
            if object["ok"] == .bool(false) { return .rejected }
            if let header, let scopes = reply.header(header), !scopes.isEmpty {
                let names = scopes.split { $0 == "," || $0 == " " }.map(String.init).filter(ScopeSet.isScope)
                object = JSONObject(
                    object.members.filter { $0.name != "scope" } + [
                        JSONMember(name: "scope", value: .string(names.joined(separator: " ")))
                    ])
            }
            // An account has dozens of addresses, which say nothing about the token.
            return .accepted(JSONObject(object.members.filter { !$0.name.hasSuffix("url") && $0.value != .null }))
        }
    }

    private static func numbered(_ object: JSONObject) -> JSONObject {
        JSONObject(
            object.members.map { member in
                guard ["exp", "iat", "nbf", "expires_in"].contains(member.name), let text = member.value.string,
                    let number = Int64(text), number >= 0
                else { return member }
                return JSONMember(name: member.name, value: .number(JSONNumber(text: String(number))))
            })
    }
}

extension String {
    /// A relative reference (RFC 3986 section 5.2) at the directory of an address.
    fileprivate func beside(_ address: WebAddress) -> WebAddress? {
        let path = address.path
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return try? WebAddress(address.origin + path[...slash] + self)
    }
}
