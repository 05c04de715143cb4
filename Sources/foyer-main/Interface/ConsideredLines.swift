import AppModel
import CommandSupport
import FoundationEssentials
import Identity
import SilentCore
import SilentFirst
import TokenCache

extension SilentDecision {
    /// - Parameter clientID: the client whose credentials are listed without its name.
    func consideredLines(at now: Date, clientID: String, clientName: (String) -> String) -> [CandidateLine] {
        let considered = considered
        func lines(_ kind: CachedCredential.Kind, missing: String) -> [CandidateLine] {
            let found = considered.filter { $0.kind == kind }
            return found.isEmpty
                ? [CandidateLine(name: missing, finding: "none stored")]
                : found.prefix(5).map {
                    CandidateLine(
                        name: $0.clientID == clientID ? $0.kindWords : $0.words(clientName),
                        finding: $0.finding.shortWords(at: now))
                }
        }
        return lines(.accessToken, missing: "access token") + lines(.refreshToken, missing: "refresh token")
    }
}

extension CandidateCredential.Finding {
    /// Leaves out the scopes, as there is little room.
    fileprivate func shortWords(at now: Date) -> String {
        if case .mismatch(.scopesMissing) = self { "for other scopes" } else { words(at: now) }
    }
}
