import FoundationEssentials
import Identity

// The text during a sign-in and after it.
extension SignInProgress {
    package func page(in context: Context) -> Page {
        let title = "Sign in to " + request.shownClient(in: context)
        return Page(
            title: title, rule: { PageTitle(crumbs: [title], note: request.place(in: context)) },
            addText: { addText(in: context, to: &$0) }, rowName: "answer",
            // The selected answer to a question, or line of the menu after a failure.
            marked: question?.answer ?? (end == nil ? nil : .answer(menu.selected, of: [title] + remedies.map(\.name))),
            prompt: prompt,
            copyables: { copyables(in: context) })
    }

    private func addText(in context: Context, to block: inout TextBlock) {
        switch phase {
        case .waiting:
            if let question {
                block.add(question, in: context)
                break
            }
            var stages = TextBlock()
            addStages(to: &stages)
            block.add(.roomy(stages))
            let isPreparing = device == nil && browser == nil && !redirectReceived
            if device != nil {
                addDevice(in: context, to: &block)
            } else if !isPreparing {
                addBrowser(in: context, to: &block)
            } else {
                block.text("preparing", .emphasis)
            }
            block.blank()
            if isPreparing { block.add(RequestedPermissions(request, in: context)) }
            request.addParties(in: context, to: &block)
        case .succeeded(let token):
            block.item(.check, .ok, "signed in as \(token.account.label)", .emphasis)
            block.add(token, in: context)
            block.text("\(context.name(of: .open, at: .progress)): show the account", .muted)
        case .failed(let failure):
            if let end { add(end, failure, in: context, to: &block) }
        }
        block.blank()
        if let method {
            block.field("method", method.words + (reason.isEmpty ? "" : " (\(reason))"), labelWidth: 10)
        }
        if !tried.isEmpty {
            block.blank()
            block.heading("What silent sign-in tried")
            block.add(tried)
        }
        if case .failed(let failure) = phase {
            block.add(tried: steps, failure, at: endedAt.map(context.clock.full) ?? "")
        } else {
            if !tried.isEmpty, !steps.isEmpty {
                block.blank()
                block.heading("This sign-in")
            }
            block.add(steps)
        }
    }

    // MARK: The steps

    /// Adds the stages: past, current, and still to come.
    private func addStages(to block: inout TextBlock) {
        let isAsking = device != nil || browser != nil
        let now = redirectReceived ? 2 : isAsking ? 1 : 0
        let stages = ["client", "approve", "check the response", "store"]
        block.row(
            stages.enumerated().flatMap { place, name in
                let (sign, tone): (Sign, Tone) =
                    place < now ? (.check, .ok) : place == now ? (.full, .emphasis) : (.empty, .muted)
                return [
                    TextSpan(" ", tone, sign: sign), TextSpan(name + "   ", place == now ? .emphasis : .muted),
                ]
            })
        block.blank()
    }

    private static let stepWidth = 16

    private func addStep(_ number: Int, _ verb: String, _ value: String, _ tone: Tone, to block: inout TextBlock) {
        block.pair(" \(number)  \(verb)", .key, value, tone, labelWidth: Self.stepWidth)
    }

    private var accountWords: String { request.accountWords(else: "the account you want") }

    private func addPermissions(in context: Context, to block: inout TextBlock) {
        block.add(RequestedPermissions(request, in: context), labelWidth: Self.stepWidth, indent: 4)
    }

    // MARK: Device code

    private func addDevice(in context: Context, to block: inout TextBlock) {
        guard let device else { return }
        guard hasCode else {
            block.text("the code has expired and is no longer shown", .attention)
            block.text("\(context.name(of: .switchMethod, at: .progress)): start another sign-in", .muted)
            return
        }
        addStep(1, "Open", device.verificationURI.text, .link, to: &block)
        addStep(2, "Enter", device.userCode, .emphasis, to: &block)
        block.add(.code(device.userCode, indent: Self.stepWidth))
        addStep(3, "Sign in as", accountWords + " and approve:", .text, to: &block)
        addPermissions(in: context, to: &block)
        block.blank()
        let total = max(0, device.expiresAt.timeIntervalSince(device.startedAt))
        // The screen's clock is slightly behind the clock that timed the code.
        let left = min(total, device.expiresAt.timeIntervalSince(context.now))
        let end = context.now.addingTimeInterval(left)
        let waited = max(0, -context.clock.seconds(until: device.startedAt))
        block.moving { $0.item(.busy(waited), .info, waitWords(context.clock, since: device.startedAt), .info) }
        block.bar(
            total > 0 ? left / total : 0, part: 2, most: 24, "code expires in " + context.clock.countdown(to: end))
        block.item(
            .warning, .attention, "Never enter a code that someone sent you: it signs them in as you.", .attention)
    }

    private func waitWords(_ clock: Clock, since start: Date) -> String {
        let waited = "waiting for you (\(clock.elapsed(since: start)))"
        return switch poll?.answer {
        case nil, .pending: waited
        case .slowDown: waited + ", polling more slowly at the provider's request"
        case .unreachable: "provider unreachable, retrying more slowly"
        }
    }

    // MARK: Browser

    private func addBrowser(in context: Context, to block: inout TextBlock) {
        if redirectReceived { return block.item(.check, .ok, "response received, fetching the tokens") }
        guard let browser else { return }
        addStep(1, "Open", "the URL below in a browser", .text, to: &block)
        if let trouble = browserTrouble {
            block.item(.warning, .attention, "cannot open a browser: \(trouble)", indent: 4)
        } else if agent == .loaded, method == .text {
            block.item(.warning, .attention, "the text browser was closed before the response arrived", indent: 4)
        } else if let agent {
            Self.add(agent, to: &block)
        }
        addStep(2, "Sign in as", accountWords + " and approve:", .text, to: &block)
        addPermissions(in: context, to: &block)
        addStep(3, "Come back", "sign-in continues automatically", .text, to: &block)
        block.blank()
        let total = max(300, browser.expiresAt.timeIntervalSince(context.now))
        block.bar(
            browser.expiresAt.timeIntervalSince(context.now) / total, part: 2, most: 24,
            "expires in " + context.clock.countdown(to: browser.expiresAt))
        block.text("waiting for the redirect on localhost:\(browser.port)", .info)
        block.text(
            "Browser on another machine? \(context.name(of: .paste, at: .progress)) to paste the final URL.",
            .muted)
        if strays > 0 {
            block.text("ignored, not the response to this sign-in: \(counted(strays, "request"))", .attention)
            for what in strayRequests { block.text(what, .muted, indent: 2) }
        }
        if let trouble = pasteTrouble {
            block.item(.cross, .danger, "the pasted text is not the response: \(trouble)")
        }
        block.blank()
        block.text(browser.authorizationURL.text, .link)
    }

    /// Adds the browser's state, and whether it offers single sign-on.
    private static func add(_ agent: UserAgentEvent, to block: inout TextBlock) {
        switch agent {
        case .started(let method): block.item(.half, .info, "opening; it \(method.singleSignOn)", indent: 4)
        case .loaded: block.item(.check, .ok, "opened in a browser on this machine", indent: 4)
        case .redirected: block.item(.check, .ok, "redirect received")
        case .completed: block.item(.check, .ok, "the browser is no longer needed")
        case .failed: break
        }
    }

    private func add(_ end: SignInEnd, _ failure: Failure, in context: Context, to block: inout TextBlock) {
        block.item(end.title.sign, end.title.words, .emphasis)
        block.add(failure, remedies, menu, in: context)
    }
}
