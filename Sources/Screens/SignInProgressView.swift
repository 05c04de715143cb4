import FoundationEssentials
import Identity
import Terminal

extension State {
    func drawProgress(_ progress: SignInProgress, in grid: inout Grid) {
        drawHeader("sign in to " + context.clientName(progress.wish.clientID), in: &grid)
        let inner = Self.body(of: grid.size).inset(rows: 0, columns: 1)
        let page = progressPage(progress, in: inner, glyphs: grid.glyphs)
        grid.draw(page.sheet, in: page.area, scroll: progress.scroll)
        grid.cursor = page.area.origin
        drawQR(progress, beside: page, inner, in: &grid)
        let line = Rect(row: inner.endRow - 1, column: 0, rows: 1, columns: grid.size.columns)
        if let asked = progress.question { return drawAnswer(asked, in: &grid, line) }
        guard let pasted = progress.pasted else { return }
        grid.fill(line, style: .role(.input))
        let used = grid.put(" paste: ", at: line.origin, style: .role(.label))
        grid.cursor = pasted.draw(
            in: &grid, at: line.at(row: 0, column: used), width: line.columns - used - 1,
            placeholder: "the address the browser ended at, or the code",
            isFocused: true)
    }

    /// The QR code takes the right side where the code's letters still fit beside it.
    private func qrCode(_ progress: SignInProgress, in inner: Rect, glyphs: Glyphs) -> (code: QRCode, size: Size)? {
        guard progress.hasCode, let address = progress.address, let code = QRCode(address.text) else { return nil }
        let size = code.size(glyphs)
        return size.rows <= inner.rows && size.columns < inner.columns ? (code, size) : nil
    }

    private func drawQR(
        _ progress: SignInProgress, beside page: (sheet: Sheet, area: Rect), _ inner: Rect, in grid: inout Grid
    ) {
        guard let (code, size) = qrCode(progress, in: inner, glyphs: grid.glyphs) else { return }
        if page.area.columns < inner.columns {
            // Up to the screen's edge: the code has a margin of its own.
            let right = Self.body(of: grid.size).splitRight(size.columns).right
            _ = code.draw(in: &grid, rect: right)
        } else if progress.pasted == nil, inner.rows - page.sheet.rows.count > size.rows {
            let below = inner.splitTop(page.sheet.rows.count + 1).rest
            _ = code.draw(in: &grid, rect: below)
        }
    }

    func progressPage(_ progress: SignInProgress, in inner: Rect, glyphs: Glyphs) -> (sheet: Sheet, area: Rect) {
        var area = progress.pasted == nil && progress.question == nil ? inner : inner.splitBottom(1).rest
        let letters = progress.device.flatMap { LargeLetters.draw($0.userCode) }?.first?.count ?? 0
        let beside = qrCode(progress, in: inner, glyphs: glyphs).map { inner.columns - $0.size.columns - 1 } ?? 0
        if beside >= max(letters, 34) { area = area.splitLeft(beside).left }
        var sheet = Sheet(width: area.columns, glyphs: glyphs)
        switch progress.phase {
        case .waiting:
            if let asked = progress.question {
                addQuestion(asked, to: &sheet)
            } else if progress.device != nil {
                addDevice(progress, rows: area.rows, to: &sheet)
            } else if progress.browser != nil || progress.redirectReceived {
                addBrowser(progress, to: &sheet)
            } else {
                sheet.text("getting ready", .emphasis)
            }
        case .succeeded(let token):
            sheet.item(glyphs.check, .ok, "signed in as \(token.account.label)", .emphasis)
            addToken(token, to: &sheet)
            sheet.text("Enter goes to the account", .muted)
        case .failed(let failure):
            if let end = progress.end { addEnd(end, failure, to: &sheet) }
        }
        sheet.blank()
        if let method = progress.method {
            sheet.field(
                "method", method.words + (progress.reason.isEmpty ? "" : ", because: " + progress.reason), labelWidth: 8
            )
        }
        if progress.isWaiting, progress.question == nil {
            sheet.field("next", "m goes on with: \(progress.otherMethod.request.method.words)", .muted, labelWidth: 8)
        }
        if !progress.tried.isEmpty { sheet.text("tried without you:", .label) }
        for step in progress.tried { add(step, to: &sheet) }
        if !progress.tried.isEmpty, !progress.steps.isEmpty { sheet.text("and with you:", .label) }
        for step in progress.steps { add(step, to: &sheet) }
        return (sheet, area)
    }

    // MARK: Device code

    private func addDevice(_ progress: SignInProgress, rows: Int, to sheet: inout Sheet) {
        guard let device = progress.device else { return }
        guard progress.hasCode else {
            sheet.text("the code has ended and is not shown any more", .attention)
            return
        }
        let isTall = rows >= 16
        if isTall, let letters = LargeLetters.draw(device.userCode), (letters.first?.count ?? 0) <= sheet.width {
            sheet.blank()
            for row in letters {
                sheet.row([
                    Span(String(row.map { $0 == "#" ? Character(sheet.glyphs.barFull) : $0 }), .code, bold: true)
                ])
            }
            sheet.blank()
        } else {
            let spaced =
                device.userCode.count <= 16 ? device.userCode.map(String.init).joined(separator: " ") : device.userCode
            sheet.row([Span(" " + spaced + " ", .code, bold: true)])
        }
        sheet.text(device.verificationURI.text, .link)
        if isTall { sheet.text("Open this address on any device and enter the code \(device.userCode).") }
        sheet.text(
            """
            Enter this code only if you started this sign-in: it signs you in to \
            \(context.clientName(progress.wish.clientID)).
            """,
            .attention)
        let total = device.expiresAt.timeIntervalSince(device.startedAt)
        let left = device.expiresAt.timeIntervalSince(now)
        sheet.bar(
            total > 0 ? left / total : 0, columns: min(24, sheet.width / 2),
            "ends in " + clock.countdown(to: device.expiresAt))
        sheet.text(pollWords(progress), .info)
    }

    private func pollWords(_ progress: SignInProgress) -> String {
        guard let poll = progress.poll else { return "waiting for you" }
        let next = max(0, clock.seconds(until: poll.nextAt))
        return switch poll.answer {
        case .pending: "waiting, poll \(poll.number), next in \(next) s"
        case .slowDown: "slow_down: now every \(poll.interval) s, poll \(poll.number), next in \(next) s"
        case .unreachable: "provider unreachable, trying more slowly, next in \(next) s"
        }
    }

    // MARK: Browser

    private func addBrowser(_ progress: SignInProgress, to sheet: inout Sheet) {
        if progress.redirectReceived {
            sheet.item(sheet.glyphs.check, .ok, "the answer has arrived, the tokens are being fetched")
            return
        }
        guard let browser = progress.browser else { return }
        sheet.text("Go on in the browser, then come back.", .emphasis)
        if let trouble = progress.browserTrouble {
            sheet.item(
                sheet.glyphs.warning, .attention, "no browser was opened: \(trouble). Open this address yourself:")
        }
        if let agent = progress.agent {
            if agent == .loaded, progress.method == .text {
                sheet.item(sheet.glyphs.warning, .attention, "the text browser was left before the answer came")
            } else {
                addAgent(agent, to: &sheet)
            }
        }
        let total = max(300, browser.expiresAt.timeIntervalSince(now))
        sheet.bar(
            browser.expiresAt.timeIntervalSince(now) / total, columns: min(24, sheet.width / 2),
            "ends in " + clock.countdown(to: browser.expiresAt))
        sheet.text("listening at \(browser.redirectURI) on this machine", .info)
        sheet.text("When the browser is elsewhere: p takes the address that it ended at.", .muted)
        if progress.strays > 0 {
            sheet.text(
                "arrived, and sent away as not this sign-in's answer: \(counted(progress.strays, "request"))",
                .attention)
            for what in progress.strayRequests { sheet.text(what, .muted, indent: 2) }
        }
        if let trouble = progress.pasteTrouble {
            sheet.item(sheet.glyphs.cross, .danger, "what was pasted is not the answer: \(trouble)")
        }
        sheet.text(browser.authorizationURL.text, .link)
    }

    /// The browser's life, and what it means for single sign-on.
    private func addAgent(_ agent: UserAgentEvent, to sheet: inout Sheet) {
        switch agent {
        case .started(let method): sheet.item(sheet.glyphs.half, .info, "opening; it \(method.singleSignOn)")
        case .loaded: sheet.item(sheet.glyphs.check, .ok, "the browser has taken the address")
        case .redirected: sheet.item(sheet.glyphs.check, .ok, "the browser came back")
        case .completed: sheet.item(sheet.glyphs.check, .ok, "the browser is no longer needed")
        case .failed: break
        }
    }

    // MARK: What every outcome shows

    func add(_ step: Step, to sheet: inout Sheet) {
        let (glyph, role): (String, Role) =
            switch step.outcome {
            case .done: (sheet.glyphs.check, .ok)
            case .missing: (sheet.glyphs.empty, .muted)
            case .failed: (sheet.glyphs.cross, .danger)
            case .skipped: (sheet.glyphs.separator, .muted)
            case .waiting: (sheet.glyphs.half, .info)
            }
        sheet.item(
            glyph, role, "\(step.name.words) \(step.outcome.words)" + (step.detail.isEmpty ? "" : ": " + step.detail))
    }

    func addToken(_ token: TokenSummary, to sheet: inout Sheet) {
        sheet.field("client", context.clientName(token.clientID), labelWidth: 10)
        sheet.field("source", token.source.words, labelWidth: 10)
        sheet.field("ends", "\(clock.relative(token.expiresOn)), \(clock.full(token.expiresOn))", labelWidth: 10)
        if !token.tenantID.isEmpty { sheet.field("tenant", token.tenantID, labelWidth: 10) }
        sheet.field("scopes", token.scopes.description, labelWidth: 10)
        if !token.declined.isEmpty { sheet.field("declined", token.declined.description, .attention, labelWidth: 10) }
    }

    func addFailure(_ failure: Failure, to sheet: inout Sheet) {
        sheet.item(sheet.glyphs.cross, .danger, failure.message, .danger)
        if let hint = failure.hint { sheet.text(hint.description, .emphasis, indent: 2) }
        if !failure.declinedScopes.isEmpty {
            sheet.field("granted", failure.grantedScopes.description, labelWidth: 12)
            sheet.field("declined", failure.declinedScopes.description, .attention, labelWidth: 12)
        }
        let error = ([failure.oauthError, failure.suberror].compactMap { $0 } + failure.serverCodeNames.prefix(4))
            .joined(separator: ", ")
        if !error.isEmpty { sheet.field("provider", error, .muted, labelWidth: 12) }
        if let id = failure.correlationID {
            sheet.field("correlation", id.uuidString.lowercased(), .muted, labelWidth: 12)
        }
    }
}

extension SignInMethod {
    var words: String {
        switch self {
        case .automatic: "automatic"
        case .browser: "browser"
        case .privateWindow: "private window"
        case .native: "questions, without a browser"
        case .device: "device code"
        case .text: "text browser"
        }
    }
}

extension Step.Outcome {
    var words: String {
        switch self {
        case .done: "done"
        case .missing: "not there"
        case .failed: "did not do"
        case .skipped: "passed over"
        case .waiting: "waiting"
        }
    }
}

extension AcquiredToken.Source {
    var words: String {
        switch self {
        case .cache: "the store, without asking anybody"
        case .refresh: "the provider, with the refresh token"
        case .extendedLifetime: "the store, past its time, as the provider is away"
        case .broker: "the broker"
        case .interactive: "a sign-in"
        }
    }
}
