import FoundationEssentials

// Entra ID's first endpoints, which ADAL spoke: a resource in the place of scopes, numbers as texts, ID tokens without
// a signature. The tokens are the same: a refresh token that was won here is good at the second ones.

extension Endpoint {
    static func versionOne(_ path: [String]) -> Endpoint? {
        switch path {
        case ["oauth2", "token"]: .tokenV1
        case ["oauth2", "devicecode"]: .devicecodeV1
        default: nil
        }
    }
}

extension ProviderState {
    mutating func versionOneDevice(_ inquiry: SandboxRequest, in realm: HostedIssuer) throws(OAuthErrorResponse) -> JSON
    {
        var answer = try authorizeDevice(try translated(inquiry), in: realm)
        answer["verification_url"] = answer["verification_uri"]
        answer["verification_uri"] = nil
        return inTexts(answer)
    }

    mutating func versionOneToken(_ inquiry: SandboxRequest, in realm: HostedIssuer, bent by: TokenBend?)
        throws(OAuthErrorResponse) -> JSON
    {
        var answer = try token(try translated(inquiry), in: realm, bent: by)
        let resource =
            inquiry.bodyForm["resource"]
            ?? answer["scope"]?.string?.split(separator: " ").first.map { Scopes.split(String($0)).resource }
        answer["resource"] = resource.map { .string($0) }
        answer["expires_on"] = answer["expires_in"]?.int.map { .int(now + $0) }
        answer["not_before"] = .int(now)
        if let text = answer["id_token"]?.string {
            answer["id_token"] = versionOneIDToken(text, in: realm).map { .string($0) }
        }
        return inTexts(answer)
    }

    /// The same question as the second endpoints take it. A resource stands for all that was consented to for it, also
    /// one that ends in a slash.
    private func translated(_ inquiry: SandboxRequest) throws(OAuthErrorResponse) -> SandboxRequest {
        var form = inquiry.bodyForm
        // A code brings the scopes that it was asked with.
        if let resource = form["resource"] {
            guard Scopes.isToken(resource) else {
                throw OAuthErrorResponse("invalid_resource", "The resource is malformed.", code: 50001)
            }
            form.set("scope", resource + "/.default openid profile offline_access")
        } else if form["grant_type"] != "authorization_code" {
            throw .missing("resource")
        }
        var translated = inquiry
        translated.body = form.encoded
        return translated
    }

    /// Numbers are texts in these answers.
    private func inTexts(_ answer: JSON) -> JSON {
        guard let members = answer.members else { return answer }
        return .object(
            members.map { member in
                member.value.int.map { JSON.Member(name: member.name, value: .string(String($0))) } ?? member
            })
    }

    /// The claims as the first endpoints name them, without a signature.
    private func versionOneIDToken(_ text: String, in realm: HostedIssuer) -> String? {
        let parts = text.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])),
            let claims = try? JSON(parsing: String(decoding: bytes, as: UTF8.self)),
            let username = claims["preferred_username"]?.string,
            let user = user(username)
        else { return nil }
        let tenant = claims["tid"]?.string
        let names = user.name.split(separator: " ")
        let payload = JSON.members([
            "aud": claims["aud"], "iss": .string("https://sts.windows.net/\(tenant ?? "")/"), "iat": claims["iat"],
            "nbf": claims["nbf"],
            "exp": claims["exp"], "family_name": names.last.map { .string(String($0)) },
            "given_name": names.first.map { .string(String($0)) },
            // A guest has the name of the home tenant's provider, and no name of this tenant's.
            "idp": tenant == user.homeTenant ? nil : .string("https://sts.windows.net/\(user.homeTenant ?? "")/"),
            "name": claims["name"], "oid": claims["oid"], "sub": claims["sub"], "tid": claims["tid"],
            "unique_name": .string(username),
            "upn": .string(username), "ver": "1.0",
        ])
        return [JSON.members(["typ": "JWT", "alg": "none"]), payload].map { Base64URL.encode(Array($0.text.utf8)) }
            .joined(separator: ".") + "."
    }
}
