import FoundationEssentials
import Identity
import Terminal

/// A token as it is told about: everything but the token.
struct TokenSummary: Equatable, Sendable {
    let account: Account
    let clientID: String
    let source: AcquiredToken.Source
    let scopes: ScopeSet
    let declined: ScopeSet
    let expiresOn: Date
    let tenantID: String
    let authority: String
    let trail: AcquisitionTrace

    init(_ token: AcquiredToken, asked: ScopeSet) {
        account = token.account
        clientID = token.clientID
        source = token.source
        scopes = token.scopes
        declined = asked.declined(granted: token.scopes)
        expiresOn = token.expiresOn
        tenantID = token.tenantID
        authority = token.authority.address.text
        trail = token.trail
    }
}

/// A silent call for one account, step by step, and what came of it.
struct Acquisition: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case waiting
        case succeeded(TokenSummary)
        case failed(Failure)
    }

    let request: TokenRequest
    let clientID: String
    let flight: FlightID
    private(set) var phase = Phase.waiting
    private(set) var steps: [Step] = []
    var scroll = 0

    init(request: TokenRequest, clientID: String, flight: FlightID) {
        self.request = request
        self.clientID = clientID
        self.flight = flight
    }

    var isWaiting: Bool { phase == .waiting }

    /// What a provider's support asks for after a failure.
    var correlationID: String? {
        guard case .failed(let failure) = phase else { return nil }
        return failure.correlationID?.uuidString.lowercased()
    }

    var needsPerson: Bool {
        guard case .failed(let failure) = phase else { return false }
        return failure.code == .interactionRequired
    }

    mutating func land(_ message: Message) -> [Effect] {
        switch message {
        case .step(let step, _):
            if steps.count < 200 { steps.append(step) }
        case .acquired(let token, _):
            phase = .succeeded(TokenSummary(token, asked: request.scopes))
            if steps.isEmpty { steps = token.trail.steps }
            return token.source == .cache ? [] : [.load]
        case .failed(let failure, _):
            phase = .failed(failure)
            if steps.isEmpty { steps = failure.trail.steps }
        case .key, .resized, .tick, .loaded, .storeFailed, .notice, .signIn, .removed, .signedOut, .verified, .entry,
            .examination, .flight,
            .settings, .question, .stores, .removedElsewhere:
            break
        }
        return []
    }
}

extension State {
    /// A token for the selected account, from its client.
    mutating func acquire() -> [Effect] {
        guard let overview = selectedAccount else { return [] }
        guard let forecast = forecast(overview) else {
            notice = "no client is known for this account; write one into the settings"
            return []
        }
        let flight = newFlight()
        stack.append(.acquisition(Acquisition(request: forecast.request, clientID: forecast.clientID, flight: flight)))
        return [.acquireSilently(forecast.request, clientID: forecast.clientID, flight)]
    }

    mutating func perform(_ command: Command, _ acquisition: Acquisition) -> [Effect] {
        switch command {
        case .open where !acquisition.needsPerson: stack.removeLast()
        case .open, .signIn:
            var claims: String?
            if case .failed(let failure) = acquisition.phase { claims = failure.claims }
            replaceTop(
                .form(
                    SignInForm(
                        context, clientID: acquisition.clientID, request: acquisition.request, claims: claims,
                        tried: acquisition.steps)))
        case .copy:
            guard let id = acquisition.correlationID else { return [] }
            notice = "the correlation identifier was handed to the clipboard"
            return [.copy(id)]
        case .renew:
            let flight = newFlight()
            var request = acquisition.request
            request.forceRefresh = true
            replaceTop(.acquisition(Acquisition(request: request, clientID: acquisition.clientID, flight: flight)))
            return [.acquireSilently(request, clientID: acquisition.clientID, flight)]
        default: scroll(command)
        }
        return []
    }
}
