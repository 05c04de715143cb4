import FoundationEssentials
import Identity

// The text while a sign-in is under way, and at its end.
extension SignInProgress {
    package func title(in context: Context) -> String { "sign in to " + context.clientName(request.clientID) }

    package func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        switch phase {
        case .waiting:
            if let asked = question {
                block.add(asked, in: context)
            } else if device != nil {
                addDevice(in: context, to: &block)
            } else if browser != nil || redirectReceived {
                addBrowser(in: context, to: &block)
            } else {
                block.text("getting ready", .emphasis)
            }
        case .succeeded(let token):
            block.item(.check, .ok, "signed in as \(token.account.label)", .emphasis)
            block.add(token, in: context)
            block.text("\(context.name(of: .open, at: .progress)) shows the account", .muted)
        case .failed(let failure):
            if let end { add(end, failure, in: context, to: &block) }
        }
        block.blank()
        if let method {
            block.field("method", method.words + (reason.isEmpty ? "" : " (\(reason))"), labelWidth: 8)
        }
        if isWaiting, question == nil {
            block.field(
                "next",
                "\(context.name(of: .switchMethod, at: .progress)) switches to: \(otherMethod.request.method.words)",
                .muted, labelWidth: 8)
        }
        if !tried.isEmpty { block.text("tried silently:", .label) }
        for step in tried { block.add(step) }
        if !tried.isEmpty, !steps.isEmpty { block.text("interactive:", .label) }
        for step in steps { block.add(step) }
        return block
    }

    // MARK: Device code

    private func addDevice(in context: Context, to block: inout TextBlock) {
        guard let device else { return }
        guard hasCode else {
            block.text("the code has expired and is no longer shown", .attention)
            return
        }
        block.add(.code(device.userCode))
        block.text(device.verificationURI.text, .link)
        block.add(.roomy("Open this address on any device and enter the code \(device.userCode)."))
        block.text(
            "Enter this code only if you started this sign-in: it signs you in to "
                + "\(context.clientName(request.clientID)).",
            .attention)
        let total = device.expiresAt.timeIntervalSince(device.startedAt)
        let left = device.expiresAt.timeIntervalSince(context.now)
        block.bar(
            total > 0 ? left / total : 0, part: 2, most: 24,
            "expires in " + context.clock.countdown(to: device.expiresAt))
        block.moving { $0.text(pollWords(context.clock), .info) }
    }

    private func pollWords(_ clock: Clock) -> String {
        guard let poll else { return "waiting for you" }
        let next = max(0, clock.seconds(until: poll.nextAt))
        return switch poll.answer {
        case .pending: "waiting for you, next check in \(next) s"
        case .slowDown: "slow_down: now every \(poll.interval) s, next check in \(next) s"
        case .unreachable: "provider unreachable, retrying more slowly, next try in \(next) s"
        }
    }

    // MARK: Browser

    private func addBrowser(in context: Context, to block: inout TextBlock) {
        if redirectReceived {
            block.item(.check, .ok, "response received, fetching the tokens")
            return
        }
        guard let browser else { return }
        block.text("Continue in the browser, then come back.", .emphasis)
        if let trouble = browserTrouble {
            block.item(.warning, .attention, "no browser was opened: \(trouble). Open this address yourself:")
        }
        if let agent {
            if agent == .loaded, method == .text {
                block.item(.warning, .attention, "the text browser was left before the answer came")
            } else {
                Self.add(agent, to: &block)
            }
        }
        let total = max(300, browser.expiresAt.timeIntervalSince(context.now))
        block.bar(
            browser.expiresAt.timeIntervalSince(context.now) / total, part: 2, most: 24,
            "expires in " + context.clock.countdown(to: browser.expiresAt))
        block.text("waiting for the redirect on \(browser.redirectURI)", .info)
        block.text(
            "Browser on another machine? \(context.name(of: .paste, at: .progress)) to paste its final address.",
            .muted)
        if strays > 0 {
            block.text("ignored, not the response to this sign-in: \(counted(strays, "request"))", .attention)
            for what in strayRequests { block.text(what, .muted, indent: 2) }
        }
        if let trouble = pasteTrouble {
            block.item(.cross, .danger, "the pasted text is not the response: \(trouble)")
        }
        block.text(browser.authorizationURL.text, .link)
    }

    /// The browser's life, and what it means for single sign-on.
    private static func add(_ agent: UserAgentEvent, to block: inout TextBlock) {
        switch agent {
        case .started(let method): block.item(.half, .info, "opening; it \(method.singleSignOn)")
        case .loaded: block.item(.check, .ok, "the browser has opened the address")
        case .redirected: block.item(.check, .ok, "the browser came back")
        case .completed: block.item(.check, .ok, "the browser is no longer needed")
        case .failed: break
        }
    }

    private func add(_ end: SignInEnd, _ failure: Failure, in context: Context, to block: inout TextBlock) {
        let (sign, tone) = end.sign
        block.item(sign, tone, end.title, .emphasis)
        block.add(failure)
        block.text(end.next { context.name(of: $0, at: .progress) }, .muted)
    }
}
