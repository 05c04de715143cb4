enum NativeForm {
    static let grants: Set<String> = ["password", "oob", "mfa_oob", "continuation_token"]

    /// The client's challenge types; clients without browser support are rejected.
    static func challengeTypes(_ form: Form) throws(OAuthErrorResponse) -> Set<String> {
        let types = Set((form["challenge_type"] ?? "").split(separator: " ").map(String.init))
        guard types.contains("redirect"), types.isSubset(of: ["oob", "password", "redirect"]) else {
            throw .native(
                "unsupported_challenge_type", "The challenge_type list must hold 'redirect' and known types.",
                code: 550_021)
        }
        return types
    }

    static let redirect = JSON.members([
        "challenge_type": "redirect", "redirect_reason": "The user flow needs a browser.",
    ])

    static func factorId(_ username: String) -> String {
        Base64URLCoding.encode(Digest.sha256("factor|" + username).prefix(12))
    }

    static let attributeNames: Set<String> = ["displayName", "city", "country", "postalCode", "givenName", "surname"]

    static func attributes(_ form: Form) throws(OAuthErrorResponse) -> [String: String] {
        guard let text = form["attributes"] else { return [:] }
        guard let members = (try? JSON(parsing: text))?.members else {
            throw .native("invalid_request", "attributes is not a JSON object.", code: 90100)
        }
        var read: [String: String] = [:]
        let wrong = members.filter { member in
            guard attributeNames.contains(member.name), let value = member.value.string,
                (1...120).contains(value.count)
            else {
                return true
            }
            read[member.name] = value
            return false
        }
        guard wrong.isEmpty else {
            throw .native(
                "invalid_grant", "Attributes are unknown or have an invalid value.", code: 501_291,
                suberror: "attribute_validation_failed",
                more: [
                    JSON.Member(
                        name: "invalid_attributes", value: .array(wrong.map { .members(["name": .string($0.name)]) }))
                ])
        }
        return read
    }
}
