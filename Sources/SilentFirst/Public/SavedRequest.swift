import FoundationEssentials
public import Identity

// The saved form of a token request, by the rules of that of an account.

extension TokenRequest: Codable {
    private enum Key: String, CodingKey {
        case scopes, account, authority, tenant, claims, resource, stepUp, forceRefresh, proof, agentSession
        case correlationID = "correlationId"
        case method, prompt, loginHint, domainHint, extraScopes, extraQueryParameters, responseMode, maxAge, acrValues
    }

    /// Needs the key `scopes` only. Without `correlationId` the request gets a new one.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(scopes: try values.decode(ScopeSet.self, forKey: .scopes))
        account = try values.value(.account, or: account)
        authority = try values.value(.authority, or: authority)
        tenant = try values.value(.tenant, or: tenant)
        claims = try values.value(.claims, or: claims)
        resource = try values.value(.resource, or: resource)
        stepUp = try values.value(.stepUp, or: stepUp)
        forceRefresh = try values.value(.forceRefresh, or: forceRefresh)
        proof = try values.value(.proof, or: proof)
        agentSession = try values.value(.agentSession, or: agentSession)
        correlationID = try values.value(.correlationID, or: correlationID)
        method = try values.value(.method, or: method)
        prompt = try values.value(.prompt, or: prompt)
        loginHint = try values.value(.loginHint, or: loginHint)
        domainHint = try values.value(.domainHint, or: domainHint)
        extraScopes = try values.value(.extraScopes, or: extraScopes)
        extraQueryParameters = try values.value(.extraQueryParameters, or: extraQueryParameters)
        responseMode = try values.value(.responseMode, or: responseMode)
        maxAge = try values.value(.maxAge, or: maxAge)
        acrValues = try values.value(.acrValues, or: acrValues)
    }

    /// A key for each member that is set, named like the member; `correlationId` for its correlation ID.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(scopes, forKey: .scopes)
        try values.encodeIfPresent(account, forKey: .account)
        try values.encodeIfPresent(authority, forKey: .authority)
        try values.encodeIfPresent(tenant, forKey: .tenant)
        try values.encodeIfPresent(claims, forKey: .claims)
        try values.encodeIfPresent(resource, forKey: .resource)
        try values.encodeIfPresent(stepUp, forKey: .stepUp)
        try values.encode(forceRefresh, forKey: .forceRefresh)
        try values.encodeIfPresent(proof, forKey: .proof)
        try values.encodeIfPresent(agentSession, forKey: .agentSession)
        try values.encode(correlationID, forKey: .correlationID)
        try values.encode(method, forKey: .method)
        try values.encodeIfPresent(prompt, forKey: .prompt)
        try values.encodeIfPresent(loginHint, forKey: .loginHint)
        try values.encodeIfPresent(domainHint, forKey: .domainHint)
        try values.encode(extraScopes, forKey: .extraScopes)
        try values.encode(extraQueryParameters, forKey: .extraQueryParameters)
        try values.encode(responseMode, forKey: .responseMode)
        try values.encodeIfPresent(maxAge, forKey: .maxAge)
        try values.encode(acrValues, forKey: .acrValues)
    }
}

extension StepUpChallenge: Codable {
    private enum Key: String, CodingKey { case scopes, acrValues, maxAge }

    /// Needs at least one of the keys.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let scopes: ScopeSet = try values.value(.scopes, or: [])
        let classes: [String] = try values.value(.acrValues, or: [])
        let age = try values.decodeIfPresent(Int.self, forKey: .maxAge)
        guard let challenge = StepUpChallenge(scopes: scopes, acrValues: classes, maxAge: age) else {
            throw values.invalid(.scopes, "a challenge demands scopes, classes or an age of at most a year")
        }
        self = challenge
    }

    /// The keys `scopes`, `acrValues` and `maxAge`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(scopes, forKey: .scopes)
        try values.encode(acrValues, forKey: .acrValues)
        try values.encodeIfPresent(maxAge, forKey: .maxAge)
    }
}

extension ResourceRequest: Codable {
    private enum Key: String, CodingKey { case method, url, nonce }

    /// The keys `method`, `url` and, if there is one, `nonce`, checked as by the initializer.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let method = try values.decode(String.self, forKey: .method)
        let url = try values.decode(String.self, forKey: .url)
        let nonce = try values.decodeIfPresent(String.self, forKey: .nonce)
        guard let address = try? WebAddress(url) else { throw values.invalid(.url, "not an allowed URL") }
        guard let request = ResourceRequest(method: method, address: address, nonce: nonce) else {
            throw values.invalid(.method, "an invalid method or nonce")
        }
        self = request
    }

    /// The keys `method`, `url` and, if there is one, `nonce`.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(method, forKey: .method)
        try values.encode(address.text, forKey: .url)
        try values.encodeIfPresent(nonce, forKey: .nonce)
    }
}
