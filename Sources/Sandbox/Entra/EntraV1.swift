import FoundationEssentials

/// Entra ID's v1 endpoints, for ADAL: a resource instead of scopes, numbers as strings, unsigned ID tokens. Refresh
/// tokens are also valid at the v2 endpoints.
enum EntraV1 {
    static func device(_ answer: JSON) -> JSON {
        var answer = answer
        answer["verification_url"] = answer["verification_uri"]
        answer["verification_uri"] = nil
        return inTexts(answer)
    }

    static func tokens(_ answer: JSON, to request: SandboxRequest, people: People, now: Int) -> JSON {
        var answer = answer
        let resource =
            request.bodyForm["resource"]
            ?? answer["scope"]?.string?.split(separator: " ").first.map { Scopes.split(String($0)).resource }
        answer["resource"] = resource.map { .string($0) }
        answer["expires_on"] = answer["expires_in"]?.int.map { .int(now + $0) }
        answer["not_before"] = .int(now)
        if let text = answer["id_token"]?.string {
            answer["id_token"] = idToken(text, people: people).map { .string($0) }
        }
        return inTexts(answer)
    }

    /// The v2 form of a v1 request. A resource, even with a trailing slash, becomes all consented permissions for it.
    static func translated(_ request: SandboxRequest) throws(OAuthErrorResponse) -> SandboxRequest {
        var form = request.bodyForm
        // A code has the scopes of its authorization request.
        if let resource = form["resource"] {
            guard Scopes.isToken(resource) else {
                throw OAuthErrorResponse("invalid_resource", "The resource is malformed.", code: 50001)
            }
            form.set("scope", resource + "/.default openid profile offline_access")
        } else if form["grant_type"] != "authorization_code" {
            throw .missing("resource")
        }
        var translated = request
        translated.body = form.encoded
        return translated
    }

    /// v1 responses contain numbers as strings.
    private static func inTexts(_ answer: JSON) -> JSON {
        guard let members = answer.members else { return answer }
        return .object(
            members.map { member in
                member.value.int.map { JSON.Member(name: member.name, value: .string(String($0))) } ?? member
            })
    }

    /// The claims with their v1 names, unsigned.
    private static func idToken(_ text: String, people: People) -> String? {
        let parts = text.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URLCoding.decode(String(parts[1])),
            let claims = try? JSON(parsing: String(decoding: bytes, as: UTF8.self)),
            let username = claims["preferred_username"]?.string,
            let user = people.user(username)
        else { return nil }
        let tenant = claims["tid"]?.string
        let names = user.name.split(separator: " ")
        let payload = JSON.members([
            "aud": claims["aud"], "iss": .string("https://sts.windows.net/\(tenant ?? "")/"), "iat": claims["iat"],
            "nbf": claims["nbf"],
            "exp": claims["exp"], "family_name": names.last.map { .string(String($0)) },
            "given_name": names.first.map { .string(String($0)) },
            // A guest has the identity provider of the home tenant, and no username in this tenant.
            "idp": tenant == user.homeTenant ? nil : .string("https://sts.windows.net/\(user.homeTenant ?? "")/"),
            "name": claims["name"], "oid": claims["oid"], "sub": claims["sub"], "tid": claims["tid"],
            "unique_name": .string(username),
            "upn": .string(username), "ver": "1.0",
        ])
        return [JSON.members(["typ": "JWT", "alg": "none"]), payload].map {
            Base64URLCoding.encode(Array($0.text.utf8))
        }
        .joined(separator: ".") + "."
    }
}
