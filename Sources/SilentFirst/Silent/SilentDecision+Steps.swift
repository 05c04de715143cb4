import FoundationEssentials
import Identity
import TokenCache

// What a decision looked at, told as the steps of the acquisition.

extension SilentDecision {
    /// Tells what was looked at before anything is carried out.
    func note(in record: StepRecorder, _ now: Date) {
        if case .interaction(.signedOut) = outcome { record.note(.account, .failed, "signed out") }
        guard let resolved else { return }
        record.note(.account, .done, resolved.account.label)
        noteAccessToken(in: record, now)
        if case .serve(_, .valid) = outcome { return }
        if candidates.isEmpty { record.note(.refreshToken, .missing, "none for this client or its family") }
        noteWhatServes(in: record, now)
    }

    /// Tells what is different from what was decided before the turn, where nothing is sent any more.
    func noteChange(in record: StepRecorder, _ now: Date) {
        if case .interaction(.signedOut) = outcome { record.note(.account, .failed, "signed out") }
        if case .serve(_, .storedByAnother) = outcome {
            record.note(.lock, .done, "another process brought a new one meanwhile")
        }
        noteWhatServes(in: record, now)
    }

    private func noteWhatServes(in record: StepRecorder, _ now: Date) {
        guard let resolved else { return }
        switch outcome {
        case .serve(_, .notRenewed), .serve(_, .extendedLifetime), .interaction(.askedByProvider):
            let host = resolved.authority.provider
            switch hold {
            case .wait(let entry):
                record.note(.throttle, .failed, "\(host) is not asked for another \(entry.secondsLeft(at: now)) s")
            case .person(let entry): record.note(askedBy: host, entry.error ?? "")
            case .unreached: record.note(.lock, .failed, "the call that was waited for did not reach the provider")
            case nil: break
            }
        case .serve, .refresh, .upgrade, .interaction, .failure: break
        }
        if case .serve(_, let serving) = outcome { record.note(serving) }
    }

    private func noteAccessToken(in record: StepRecorder, _ now: Date) {
        let request = situation.request
        if request.forceRefresh || request.asksForClaims {
            record.note(
                .accessToken, .skipped,
                request.forceRefresh ? "a new one was asked for" : "a claims challenge needs a new one")
            return
        }
        guard let fitting else {
            record.note(.accessToken, .missing, "none for these scopes")
            return
        }
        let buffer = situation.configuration.expirationBuffer
        let left = fitting.secondsLeft(at: now)
        if fitting.isServed(at: now, buffer: buffer) {
            record.note(.accessToken, .done, "lives for \(left / 60) more minutes")
        } else if fitting.isFresh(at: now, buffer: buffer) {
            record.note(.accessToken, .skipped, "still valid, but due for renewal")
        } else {
            let why =
                fitting.isAhead(of: now) ? "a clock was wrong: it was stored at a time to come" : "only \(left) s left"
            record.note(.accessToken, .failed, left > 0 ? why : "expired")
        }
    }
}

extension StepRecorder {
    /// What is handed out where nothing was renewed.
    func note(_ serving: SilentDecision.Serving) {
        switch serving {
        case .valid, .storedByAnother: break
        case .notRenewable: note(.accessToken, .done, "cannot be renewed, but is still valid")
        case .notRenewed: note(.accessToken, .done, "the renewal did not work, the old one is still valid")
        case .extendedLifetime: note(.accessToken, .done, "the provider is away, the extended lifetime runs")
        }
    }

    func note(askedBy host: String, _ error: String) {
        note(.throttle, .skipped, "\(host) asked for a sign-in a moment ago (\(error))")
    }
}
