import FoundationEssentials

/// Entra ID's first endpoints, which ADAL spoke: a resource in the place of scopes, numbers as texts, ID tokens without
/// a signature. The tokens are the same: a refresh token that was won here is good at the second ones.
enum EntraV1 {
    /// What the second endpoints answered to the device request, as the first ones say it.
    static func device(_ answer: JSON) -> JSON {
        var answer = answer
        answer["verification_url"] = answer["verification_uri"]
        answer["verification_uri"] = nil
        return inTexts(answer)
    }

    /// What the second endpoints answered to the token request, as the first ones say it.
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

    /// The same question as the second endpoints take it. A resource stands for all that was consented to for it, also
    /// one that ends in a slash.
    static func translated(_ request: SandboxRequest) throws(OAuthErrorResponse) -> SandboxRequest {
        var form = request.bodyForm
        // A code brings the scopes that it was asked with.
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

    /// Numbers are texts in these answers.
    private static func inTexts(_ answer: JSON) -> JSON {
        guard let members = answer.members else { return answer }
        return .object(
            members.map { member in
                member.value.int.map { JSON.Member(name: member.name, value: .string(String($0))) } ?? member
            })
    }

    /// The claims as the first endpoints name them, without a signature.
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
            // A guest has the name of the home tenant's provider, and no name of this tenant's.
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
