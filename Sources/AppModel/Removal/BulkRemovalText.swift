import Explain
import FoundationEssentials
import Identity

extension BulkRemoval {
    func page(in context: Context) -> Page {
        let asks = stage == .asking
        return Page(
            title: asks ? "\(kind.verb) \(counted(targets.count))?" : kind.verb,
            addText: { addText(in: context, to: &$0) }, prompt: prompt,
            confirmation: asks && prompt == nil ? question : nil)
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        switch stage {
        case .asking: addQuestion(in: context, to: &block)
        case .working:
            let stop = context.name(of: .back, at: keyContext)
            let seconds = began.map { Int(context.now.timeIntervalSince($0).rounded()) } ?? 0
            block.text(
                "\(ended) of \(targets.count) done, \(TimeSpan.words(seconds)); "
                    + (isStopping ? "stopping after this one; \(stop) cancels it" : "\(stop) stops after this one"),
                .info)
            block.blank()
            for (index, target) in targets.enumerated() {
                add(target, isRunning: index == current, in: context, to: &block)
            }
        case .over:
            let all = done == targets.count
            let verb = kind == .remove ? "removed" : "signed out"
            let isPlain = targets.allSatisfy { target in
                guard case .signedOut(let outcome) = target.phase else { return true }
                return outcome.revoked == .done
            }
            block.item(
                !all ? (.warning, .attention) : isPlain ? (.check, .ok) : (.check, .text),
                all ? "\(counted(done)) \(verb)" : "\(done) of \(counted(targets.count)) \(verb)",
                .emphasis)
            block.blank()
            for target in targets { add(target, isRunning: false, in: context, to: &block) }
            let receipt = receipt(in: context)
            if receipt.count(.signingOut) > 0 {
                block.blank()
                block.addSigningOut(context.name(of: .reload, at: keyContext))
            }
            if let end = targets.filter(\.phase.isDone).compactMap(\.accessTokensExpire).max(), end > context.now {
                block.blank()
                block.add(tokensUntil: end, context.clock, several: true, isDone: true)
            }
            if let line = receipt.elsewhereLine {
                block.blank()
                block.text(line, .muted)
            }
        }
    }

    private func addQuestion(in context: Context, to block: inout TextBlock) {
        // Effects come first: on a small screen the names can be scrolled to.
        block.add(
            effectsOf: choices, of: kind, several: true, for: "the client shown for each",
            account: cloudAccount)
        block.add(tokensUntil: targets.compactMap(\.accessTokensExpire).max(), context.clock, several: true)
        block.blank()
        for target in targets {
            block.item(.bullet, .emphasis, who(target, in: context))
        }
        block.blank()
        block.add(choices, of: kind, several: true, at: keyContext, in: context)
    }

    /// One of the accounts, if all are of one cloud of Microsoft's.
    private var cloudAccount: Account? {
        let clouds = Set(targets.map { Cloud.containing(host: $0.account.environment) })
        return clouds.count == 1 ? targets.first?.account : nil
    }

    private func who(_ target: Target, in context: Context) -> String {
        target.account.label + (choices.wipes ? "" : ", " + target.use.shownName)
    }

    private func add(_ target: Target, isRunning: Bool, in context: Context, to block: inout TextBlock) {
        let who = who(target, in: context)
        switch target.phase {
        case .waiting where isRunning:
            block.item(.busy(Int(context.now.timeIntervalSinceReferenceDate)), .info, "\(who): in progress")
        case .waiting: block.item(.bullet, .muted, stage == .over ? "\(who): not started" : who)
        case .failed(let failure): block.item(.cross, .danger, "\(who): \(failure.message)")
        case .removed(let count), .removedElsewhere(let count, _):
            block.item(.check, .ok, "\(who): \(AppModel.counted(count, "entry", "entries")) removed here")
        case .signedOut(let outcome):
            var parts = [words(outcome.revoked, "revoked", "revocation not supported", "not revoked")]
            if choices.revokesAccessTokens {
                parts.append(
                    words(
                        outcome.accessTokensRevoked, "access tokens revoked", "access token revocation not supported",
                        "access tokens not revoked"))
            }
            parts.append(
                outcome.isFinished
                    ? words(outcome.removed, "removed here", "not removed here", "not removed here")
                    : "kept to be revoked")
            if let page = outcome.grantPage { parts.append("end it: \(page.text)") }
            if choices.endsBrowserSession {
                parts.append(
                    words(
                        outcome.sessionEnded, "browser session ended", "no sign-out page",
                        "browser session not ended"))
            }
            block.item(
                outcome.isWhole ? (.check, .ok) : target.phase.isDone ? (.warning, .attention) : (.cross, .danger),
                "\(who): " + parts.joined(separator: ", "))
        }
    }

    private func words(_ part: SignOutOutcome.Part, _ done: String, _ notOffered: String, _ failed: String) -> String {
        switch part {
        case .done: done
        case .opened: "browser page opened"
        case .notOffered: notOffered
        case .failed(let why): "\(failed) (\(why))"
        }
    }
}
