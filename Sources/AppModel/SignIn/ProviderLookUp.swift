import FoundationEssentials
import Identity

/// The request for a provider's metadata while the form is filled in, and its result.
struct ProviderLookUp: Equatable, Sendable {
    let authority: Authority
    let id: RequestID
    let startedAt: Date
    /// Nil while it is running.
    private(set) var result: Result<ProviderSupport, Failure>?

    var isWaiting: Bool { result == nil }
    var support: ProviderSupport? { try? result?.get() }
    var hasFailed: Bool { result != nil && support == nil }

    mutating func receive(_ reply: Reply) {
        switch reply {
        case .provider(let support): result = .success(support)
        case .failed(let failure): result = .failure(failure)
        default: break
        }
    }

    /// The provider and its sign-in methods, or the error; a sign-in does not depend on it.
    func line(in context: Context) -> (sign: (Sign, Tone), words: String) {
        switch result {
        case nil:
            let seconds = max(0, -context.clock.seconds(until: startedAt))
            return ((.busy(seconds), .info), "asking \(authority.address.hostAndPort)")
        case .success(let support):
            let methods = support.methods.map { $0 == .native ? "terminal" : $0.words }
            return ((.check, .ok), "\(support.kind.words) · \(methods.joined(by: ", "))")
        case .failure(let failure):
            return (failure.code == .unavailable ? (.warning, .attention) : (.cross, .danger), failure.message)
        }
    }
}
