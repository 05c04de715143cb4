import Explain
package import FoundationEssentials
import Identity
package import TokenCache

// Records a decision as steps of the acquisition.

extension SilentDecision {
    package func note(in record: StepRecorder, _ now: Date) {
        noteSignedOut(in: record)
        guard let resolved else { return }
        record.note(.account, .done, resolved.account.label, naming: [resolved.account.label])
        noteAccessToken(in: record, now)
        if case .serve(_, .valid) = outcome { return }
        if candidates.isEmpty { record.note(.refreshToken, .missing, "for this client or its family") }
        noteServedToken(in: record, now)
    }

    /// Records the changes since the decision before the lock, if nothing will be sent.
    package func noteChange(in record: StepRecorder, _ now: Date) {
        noteSignedOut(in: record)
        if case .serve(_, .storedByAnother) = outcome {
            record.note(.lock, .done, "another process stored a new token")
        }
        noteServedToken(in: record, now)
    }

    private func noteSignedOut(in record: StepRecorder) {
        switch outcome {
        case .interaction(.signedOut): record.note(.account, .failed, "signed out")
        case .interaction(.signingOut): record.note(.account, .failed, "being signed out")
        default: break
        }
    }

    private func noteServedToken(in record: StepRecorder, _ now: Date) {
        guard let resolved else { return }
        switch outcome {
        case .serve(_, .notRenewed), .serve(_, .extendedLifetime), .interaction(.askedByProvider):
            let host = resolved.authority.provider
            switch hold {
            case .wait(let entry):
                record.note(.throttle, .failed, "throttled by \(host) for \(entry.timeLeft(at: now))")
            case .person(let entry): record.note(askedBy: host, entry, at: now)
            case .unreached: record.note(.lock, .failed, "the other process could not reach the provider")
            case nil: break
            }
        case .serve, .refresh, .upgrade, .interaction, .failure: break
        }
        if case .serve(_, let serving) = outcome { record.note(serving) }
    }

    private func noteAccessToken(in record: StepRecorder, _ now: Date) {
        let request = situation.request
        if request.forceRefresh || request.asksForClaims {
            record.note(.accessToken, .skipped, request.forceRefresh ? "refresh forced" : "claims request")
            return
        }
        guard let fitting else {
            record.note(
                .accessToken, .missing,
                "for these scopes" + (request.agentSession == nil ? "" : " and agent's session")
                    + (request.resource == nil ? "" : " and this resource"))
            return
        }
        let buffer = situation.configuration.expirationBuffer
        let left = fitting.secondsLeft(at: now)
        if fitting.isServed(at: now, buffer: buffer) {
            record.note(
                .accessToken, .done,
                TimeSpan.end(fitting.expiresOn ?? now) { _ in "expires in \(TimeSpan.words(left))" })
        } else if fitting.isFresh(at: now, buffer: buffer) {
            record.note(.accessToken, .skipped, "still valid, renewal due")
        } else {
            let why =
                fitting.isAhead(of: now)
                ? "stored in the future: wrong clock" : "expires in \(TimeSpan.words(left)), too soon"
            record.note(.accessToken, .failed, left > 0 ? why : "expired")
        }
    }
}

extension StepRecorder {
    package func note(_ serving: SilentDecision.CachedTokenReason) {
        switch serving {
        case .valid, .storedByAnother: break
        case .notRenewable: note(.accessToken, .done, "still valid; no refresh token")
        case .notRenewed: note(.accessToken, .done, "still valid; the renewal failed")
        case .extendedLifetime: note(.accessToken, .done, "in its extended lifetime; the provider is unreachable")
        }
    }

    package func note(askedBy host: String, _ entry: ThrottleEntry, at now: Date) {
        let since = max(0, Int(exactly: now.timeIntervalSince(entry.since).rounded(.down)) ?? 0)
        note(.throttle, .skipped, "\(host) required sign-in \(since) s ago (\(entry.error ?? ""))")
    }
}
