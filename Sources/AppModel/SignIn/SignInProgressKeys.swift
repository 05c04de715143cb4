import Identity
import Keys

extension SignInProgress: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .progress, "Sign in: waiting",
                waiting + KeyBinding.reading(tools) + KeyBinding.closing),
            KeyTable(.paste, "Sign in: paste the response", pasted),
            KeyTable(.question, "Sign in: provider's question", answering),
        ]
    }

    private static let waiting = [
        KeyBinding([.enter], .open, "continue", "show the account, or try again"),
        KeyBinding([.character("c")], .copy, "copy", "copy the code, the URL, or after a failure the correlation id"),
        KeyBinding([.character("b")], .openBrowser, "browser", "open the URL in a browser here"),
        KeyBinding([.character("Q")], .qrCode, "QR code", "show or hide the QR code"),
        KeyBinding([.character("p")], .paste, "paste", "paste the browser's final URL, or the code"),
        KeyBinding([.character("m")], .switchMethod, "other method", "cancel, and start again with the next method"),
        KeyBinding([.character("a")], .askConsent, "ask again", "ask for consent again, for what was declined"),
    ]

    private static let answering =
        [
            KeyBinding([.enter], .open, "answer", "send the answer"),
            KeyBinding([.function(2)], .openBrowser, "browser", "continue in a browser"),
            KeyBinding([.up], .up, "", "previous choice"),
            KeyBinding([.down], .down, "", "next choice"),
            KeyBinding([.escape], .back, "cancel", "cancel the sign-in"),
            KeyBinding([.function(1)], .help, "help", "show keys"),
        ] + KeyBinding.editing

    private static let pasted =
        [
            KeyBinding([.enter], .open, "send", "use the pasted URL or code"),
            KeyBinding([.escape], .back, "back", "close the input"),
            KeyBinding([.function(1)], .help, "help", "show keys"),
        ] + KeyBinding.editing

    package var keyContext: KeyContext { question != nil ? .question : pasting == nil ? .progress : .paste }

    package func label(of command: Command, in context: Context) -> String? {
        guard keyContext == .progress else { return nil }
        if command == .copy { return isWaiting && hasCode ? "copy code" : nil }
        if command == .back, isWaiting { return "cancel" }
        guard command == .open else { return nil }
        return switch phase {
        case .waiting: nil
        case .succeeded: "done"
        case .failed: remedy(in: context)?.label ?? (granted == nil ? "retry" : "show account")
        }
    }

    /// The selected remedy; nil if nothing failed, or if commands are given by name.
    private func remedy(in context: Context) -> Remedy? { context.remedy(of: remedies, menu) }

    package func offers(_ command: Command, in context: Context) -> Bool {
        guard keyContext == .progress else { return true }
        return switch command {
        case .open: !isWaiting
        case .copy: copyable != nil || phase.correlationID != nil
        case .openBrowser: address != nil
        case .qrCode: hasCode && address != nil
        case .paste: takesPaste
        case .switchMethod: isWaiting || (end?.isRetried ?? false)
        case .askConsent: end == .declined
        default: true
        }
    }

    package var underWay: RequestID? { isWaiting ? id : nil }

    package mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.edit, let key), .text(let key): type(key)
        case .command(let command, _) where question != nil: return answer(command)
        case .command(.open, _) where end != nil: return perform(remedy(in: context)?.command ?? .open, in: context)
        case .command(let command, _): return perform(command, in: context)
        case .select(let place): choose(place)
        // Hide an expired code.
        case .tick: expireCode(at: context.now)
        case .reply(let reply, _):
            receive(reply)
            if !isWaiting { endedAt = context.now }
            guard case .acquired(let token) = reply else { break }
            return [.announce(.signedIn(AccountOverview.ID(token.account.id, client: request.clientName)))]
                + (request.clientToKeep(in: context).map { [.perform(.keepClient($0))] } ?? [])
        default: break
        }
        return []
    }

    private mutating func answer(_ command: Command) -> [Action] {
        guard let reply = question?.reply else { return [] }
        switch command {
        case .open:
            question = nil
            return [.perform(.answer(reply, id))]
        case .openBrowser:
            question = nil
            return [.perform(.answer(.browser, id))]
        case .back: return [.close, .announce(.signInCancelled)]
        default: question?.move(command)
        }
        return []
    }

    func copyables(in context: Context) -> [Copyable] {
        guard isWaiting else { return [Copyable("correlation id", phase.correlationID), report(in: context)] }
        guard let address else { return [] }
        return [Copyable("code", hasCode ? copyable : nil), Copyable("address", address.text)]
    }

    private func report(in context: Context) -> Copyable {
        guard let failure = phase.failure else { return pageReport(in: context) }
        let account = request.request.account?.label ?? request.request.loginHint ?? ""
        return FailureReport(
            failure: failure, account: account, clientID: request.clientID, at: endedAt, steps: tried + steps
        ).copyable(in: context)
    }

    private mutating func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .open where pasting != nil:
            guard let text = pasting?.field.text, !text.isEmpty else { return [] }
            // The line stays until the response has been accepted, as the pasted text may be wrong. In plain mode it
            // would take commands for the next paste.
            if context.naming == .keys { startPasting() } else { pasting = nil }
            return [.perform(.paste(text, id))]
        case .open: return goOn(in: context)
        case .qrCode: showsQRCode.toggle()
        case .back where showsQRCode: showsQRCode.toggle()
        case .paste: startPasting()
        case .back where pasting != nil: pasting = nil
        case .back:
            // The form behind a successful sign-in is no longer needed.
            if case .succeeded = phase { return [.finish(nil)] }
            return isWaiting ? [.close, .announce(.signInCancelled)] : [.close]
        case .openBrowser: return address.map { [.perform(.openBrowser($0))] } ?? []
        case .switchMethod:
            let other = otherMethod
            return (isWaiting ? [.perform(.cancel(id))] : []) + [.announce(.methodChanged(other.request.method))]
                + begin(other, in: context)
        case .askConsent: return begin(withConsent, in: context)
        case .doctor: return [.openPage(.doctor)]
        case .copyMenu: return report(in: context).actions(in: context)
        default: return [end != nil && context.hasMenus ? .moveEntry(command) : .scroll(command)]
        }
        return []
    }

    private func begin(_ request: SignInRequest, in context: Context) -> [Action] {
        let progress = SignInProgress(request, tried: tried, in: context)
        return [.replace(progress), .perform(progress.effect)]
    }

    private func goOn(in context: Context) -> [Action] {
        switch phase {
        case .waiting: return []
        case .failed:
            guard let granted else { return begin(again, in: context) }
            return [.finish(AccountOverview.ID(granted.account.id, client: request.clientName))]
        case .succeeded(let token): return [.finish(AccountOverview.ID(token.account.id, client: request.clientName))]
        }
    }

    package var prompt: TextPrompt? { question?.prompt ?? pasting }
}
