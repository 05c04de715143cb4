import FoundationEssentials
import Identity

extension BulkRemoval {
    func page(in context: Context) -> Page {
        let asks = stage == .asking
        return Page(
            title: asks ? "\(kind.verb) \(counted(targets.count))?" : kind.verb,
            addText: { addText(in: context, to: &$0) }, confirmation: asks ? question : nil)
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        switch stage {
        case .asking: addQuestion(in: context, to: &block)
        case .working:
            block.text(
                "\(done) of \(targets.count) done; \(context.name(of: .back, at: keyContext)) cancels the rest", .info)
            block.blank()
            for target in targets { add(target, in: context, to: &block) }
        case .over:
            let all = done == targets.count
            let verb = kind == .remove ? "removed" : "signed out"
            block.item(
                all ? (.check, .ok) : (.warning, .attention),
                all ? "\(counted(done)) \(verb)" : "\(done) of \(counted(targets.count)) \(verb)",
                .emphasis)
            block.blank()
            for target in targets { add(target, in: context, to: &block) }
            if let end = targets.filter(\.phase.isDone).compactMap(\.accessTokensExpire).max(), end > context.now {
                block.blank()
                block.add(tokensUntil: end, context.clock, several: true, isDone: true)
            }
        }
    }

    private func addQuestion(in context: Context, to block: inout TextBlock) {
        // Effects come first: on a small screen the names can be scrolled to.
        block.add(effectsOf: choices, of: kind, several: true, for: "the client shown for each")
        block.add(tokensUntil: targets.compactMap(\.accessTokensExpire).max(), context.clock, several: true)
        block.blank()
        for target in targets {
            block.item(.bullet, .emphasis, who(target, in: context))
        }
        block.blank()
        block.add(choices, of: kind, several: true, at: keyContext, in: context)
    }

    private func who(_ target: Target, in context: Context) -> String {
        target.account.label + (choices.wipes ? "" : ", " + target.use.shownName)
    }

    private func add(_ target: Target, in context: Context, to block: inout TextBlock) {
        let who = who(target, in: context)
        switch target.phase {
        case .waiting: block.item(.bullet, .muted, who)
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
            parts.append(words(outcome.removed, "removed here", "not removed here", "not removed here"))
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
