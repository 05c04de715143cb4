package import StrictJSON

/// The `claims` parameter (OpenID Connect Core section 5.5): a challenge merged with the application's capabilities.
package enum ClaimsRequest {
    /// - Parameters:
    ///   - challenge: a JSON object as received, or nil.
    ///   - capabilities: such as `cp1`, sent unchanged to Entra ID as `xms_cc` of the access token.
    /// - Returns: one JSON object, or nil if nothing is requested. Without capabilities, the unchanged challenge.
    /// - Throws: a parse error if the challenge is not a JSON object of at most 16 KiB, or its claims are not in
    ///   objects.
    package static func merged(challenge: String?, capabilities: [String]) throws(JSONError) -> String? {
        var members: [JSONMember] = []
        if let challenge {
            let value = try JSONValue(parsing: Array(challenge.utf8), limits: JSONLimits(maximumBytes: 16_384))
            guard let object = value.object, places.allSatisfy({ isPlace(object[$0]) }) else {
                throw JSONError(offset: 0, problem: .unexpectedByte)
            }
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

    /// Tokens and responses whose claims are requested; each is an object.
    private static let places = ["access_token", "id_token", "userinfo"]

    private static func isPlace(_ value: JSONValue?) -> Bool { value ?? .null == .null || value?.object != nil }

    /// Whether the claims request is blank or an object without members.
    package static func isEmpty(_ text: String) -> Bool {
        if text.allSatisfy(\.isWhitespace) { return true }
        guard text.utf8.count <= 64, let value = try? JSONValue(parsing: Array(text.utf8)) else { return false }
        return value.object?.members.isEmpty == true
    }

    package static func isValid(_ text: String) -> Bool { (try? merged(challenge: text, capabilities: [])) != nil }
}
