package import StrictJSON

/// The `claims` parameter (OpenID Connect Core section 5.5): a challenge from a resource or from the token endpoint,
/// joined with what the application says it can do.
package enum ClaimsRequest {
    /// - Parameters:
    ///   - challenge: a JSON object as it was demanded, or nil.
    ///   - capabilities: such as `cp1`, sent to Entra ID as `xms_cc` of the access token, letter for letter.
    /// - Returns: one JSON object, or nil when there is nothing to ask for. A challenge without capabilities is passed
    ///   on letter for letter.
    /// - Throws: the reader's complaint when the challenge is not a JSON object of at most 16 KiB.
    package static func merged(challenge: String?, capabilities: [String]) throws(JSONError) -> String? {
        var members: [JSONMember] = []
        if let challenge {
            let value = try JSONValue(parsing: Array(challenge.utf8), limits: JSONLimits(maximumBytes: 16_384))
            guard let object = value.object else { throw JSONError(offset: 0, problem: .unexpectedByte) }
            guard !capabilities.isEmpty else { return challenge }
            members = object.members
        }
        guard !capabilities.isEmpty else { return nil }
        let values = JSONObject([JSONMember(name: "values", value: .array(capabilities.map { .string($0) }))])
        let capability = JSONMember(name: "xms_cc", value: .object(values))
        let index = members.firstIndex { $0.name == "access_token" }
        var inner = index.flatMap { members[$0].value.object?.members } ?? []
        inner.removeAll { $0.name == "xms_cc" }
        inner.append(capability)
        let member = JSONMember(name: "access_token", value: .object(JSONObject(inner)))
        if let index { members[index] = member } else { members.append(member) }
        return JSONValue.object(JSONObject(members)).serialized()
    }

    /// Whether a text asks for nothing: it is blank, or an object without members.
    package static func isEmpty(_ text: String) -> Bool {
        if text.allSatisfy(\.isWhitespace) { return true }
        guard text.utf8.count <= 64, let value = try? JSONValue(parsing: Array(text.utf8)) else { return false }
        return value.object?.members.isEmpty == true
    }

    /// Whether a text can be sent as a claims request.
    package static func isValid(_ text: String) -> Bool { (try? merged(challenge: text, capabilities: [])) != nil }
}
