import FoundationEssentials
import Identity
import SilentCore
import StrictJSON
import TokenCache
import Wire

// The broker step of a silent call. Its response is checked and saved like a provider's, but contains no refresh token.

extension Silent {
    /// Requests a token from the broker before carrying out the decision; nil if the broker is not used, or has none.
    func fromBrokerFirst(_ decision: SilentDecision) async -> AcquiredToken? {
        guard decision.asksBroker else { return nil }
        return await fromBroker(decision)
    }

    func fromBroker(_ decision: SilentDecision, after failure: Failure) async -> AcquiredToken? {
        guard context.configuration.broker == .device, failure.wantsDevice else { return nil }
        return await fromBroker(decision)
    }

    private func fromBroker(_ decision: SilentDecision) async -> AcquiredToken? {
        guard let broker = context.broker, request.proof == nil, request.agentSession == nil,
            !context.configuration.proofOfPossession,
            let authority = decision.authority ?? (try? ResolvedRequest.authority(of: request, context.configuration)),
            authority.kind == .aad
        else { return nil }
        do throws(Failure) {
            let wish = TokenBroker.Request(
                clientID: context.configuration.clientID, authority: authority, scopes: request.scopes.withoutReserved,
                account: decision.account, claims: try context.configuration.claims(for: request),
                forceRefresh: request.forceRefresh, correlationID: request.correlationID)
            let answer: TokenBroker.Answer
            do throws(TokenBroker.Trouble) { answer = try await broker.acquire(wish) } catch {
                record.note(.broker, .failed, error.message)
                return nil
            }
            return try await keep(answer, of: decision.account, authority)
        } catch {
            record.note(.broker, failed: error)
            return nil
        }
    }

    private func keep(_ answer: TokenBroker.Answer, of account: Account?, _ authority: Authority)
        async throws(Failure) -> AcquiredToken
    {
        let grant = TokenGrant(answer.members(at: context.now()), now: context.now())
        let metadata: ProviderMetadata
        do { metadata = try await context.providerMetadata(of: authority, record, acceptsKept: true) } catch {
            throw Failure(error)
        }
        let processor = TokenResponseProcessor(
            context: context, request: request, authority: authority, metadata: metadata, record: record)
        var token = try await processor.keep(grant, of: .broker(account: account))
        record.note(.broker, .done, "returned a token")
        token.trail = record.trail
        return token
    }
}

extension TokenBroker.Answer {
    /// Converts the response to the members of a token response, for the same validation.
    fileprivate func members(at now: Date) -> JSONObject {
        let left = expiresOn.timeIntervalSince(now).rounded(.down)
        var members = [
            JSONMember(name: "access_token", value: .string(accessToken.reveal())),
            JSONMember(name: "token_type", value: "Bearer"),
            JSONMember(name: "id_token", value: .string(idToken.reveal())),
            JSONMember(name: "expires_in", value: .number(JSONNumber(text: String(Int(exactly: left) ?? 0)))),
        ]
        if let clientInfo { members.append(JSONMember(name: "client_info", value: .string(clientInfo))) }
        if let scopes { members.append(JSONMember(name: "scope", value: .string(scopes.target))) }
        return JSONObject(members)
    }
}
