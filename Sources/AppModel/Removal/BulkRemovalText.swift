import FoundationEssentials
import Identity

extension BulkRemoval {
    package func title(in context: Context) -> String {
        stage == .asking ? "\(kind.verb) \(counted(targets.count, "account"))?" : kind.verb
    }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        let clock = context.clock
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
                all ? .check : .warning, all ? .ok : .attention,
                all ? "\(counted(done, "account")) \(verb)" : "\(done) of \(counted(targets.count, "account")) \(verb)",
                .emphasis)
            block.blank()
            for target in targets { add(target, in: context, to: &block) }
            if let end = targets.filter(\.phase.isDone).compactMap(\.accessTokensExpire).max(), end > context.now {
                block.blank()
                block.item(
                    .warning, .attention,
                    "issued access tokens may work until \(clock.time(end)) at the latest "
                        + "(\(clock.relative(end)))"
                )
            }
        }
        return block
    }

    private func addQuestion(in context: Context, to block: inout TextBlock) {
        let clock = context.clock
        // Effects come first: on a small screen the names can be scrolled to.
        block.add(effectsOf: choices, of: kind, several: true, for: "the client shown for each")
        if let end = targets.compactMap(\.accessTokensExpire).max() {
            block.item(.warning, .attention, "issued access tokens may work until \(clock.time(end)) at the latest")
        }
        block.blank()
        for target in targets {
            block.item(
                .bullet, .emphasis,
                target.account.label + (choices.wipes ? "" : ", " + context.clientName(target.clientID)))
        }
        block.blank()
        block.add(choices, of: kind, several: true, at: keyContext, in: context)
    }

    private func add(_ target: Target, in context: Context, to block: inout TextBlock) {
        let who = target.account.label + (choices.wipes ? "" : ", " + context.clientName(target.clientID))
        switch target.phase {
        case .waiting: block.item(.bullet, .muted, who)
        case .failed(let failure): block.item(.cross, .danger, "\(who): \(failure.message)")
        case .removed(let count), .removedElsewhere(let count, _):
            block.item(.check, .ok, "\(who): \(counted(count, "entry", "entries")) removed here")
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
            let isWhole = ![outcome.revoked, outcome.removed, outcome.sessionEnded].contains {
                if case .failed = $0 { true } else { false }
            }
            block.item(
                isWhole ? .check : target.phase.isDone ? .warning : .cross,
                isWhole ? .ok : target.phase.isDone ? .attention : .danger, "\(who): " + parts.joined(separator: ", "))
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
