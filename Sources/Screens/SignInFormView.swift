import Identity
import Terminal

extension State {
    func drawForm(_ form: SignInForm, in grid: inout Grid) {
        drawHeader("sign in", in: &grid)
        let body = Self.body(of: grid.size)
        let roomy = body.rows >= 14
        var row = Self.formTop(of: grid.size)
        let labelWidth = 13
        for field in SignInForm.Field.allCases {
            let isFocused = form.focus == field
            if isFocused {
                grid.put(grid.glyphs.pointer, at: Position(row: row, column: 0), style: .role(.emphasis), width: 1)
            }
            grid.put(field.label, at: Position(row: row, column: 2), style: .role(.label), width: labelWidth - 1)
            let place = Position(row: row, column: labelWidth + 2)
            let width = min(76, body.columns - place.column - 1)
            if let (text, note) = choiceWords(form, field) {
                let style: Style = isFocused ? .role(.selection) : .role(.input)
                let arrows = "\(grid.glyphs.arrowLeft) \(text) \(grid.glyphs.arrowRight)"
                let used = grid.put(arrows, at: place, style: style, width: width)
                grid.put(
                    note, at: Position(row: row, column: place.column + used + 1), style: .role(.muted),
                    width: max(0, width - used - 1))
                if isFocused { grid.cursor = place }
            } else if let text = form.text(field) {
                let cursor = text.draw(
                    in: &grid, at: place, width: width, placeholder: field.placeholder, isFocused: isFocused)
                if isFocused { grid.cursor = cursor }
            }
            row += 1
        }
        if roomy { row += 1 }
        drawAdvice(
            form, in: &grid, Rect(row: row, column: 2, rows: body.endRow - row, columns: min(90, body.columns - 4)))
    }

    /// The row of the first field.
    static func formTop(of size: Size) -> Int { body(of: size).row + (body(of: size).rows >= 14 ? 1 : 0) }

    private func drawAdvice(_ form: SignInForm, in grid: inout Grid, _ area: Rect) {
        var sheet = Sheet(width: area.columns, glyphs: grid.glyphs)
        if let complaint = form.complaint {
            sheet.item(grid.glyphs.warning, .danger, "\(complaint.field.label): \(complaint.text)", .danger)
        }
        if form.claims != nil {
            sheet.item(grid.glyphs.bullet, .attention, "the provider asked for more: its claims go with this sign-in")
        }
        if let account = form.account { sheet.item(grid.glyphs.bullet, .info, "for \(account.label)") }
        if form.complaint == nil { sheet.text(form.focus.advice, .muted) }
        grid.draw(sheet, in: area, scroll: 0)
    }

    /// What stands between the arrows, and a note; nil for a text field.
    private func choiceWords(_ form: SignInForm, _ field: SignInForm.Field) -> (String, String)? {
        switch field {
        case .client:
            form.choice.flatMap {
                context.clients.indices.contains($0) ? (context.clients[$0].name, context.clients[$0].clientID) : nil
            }
        case .method:
            switch form.method {
            case .automatic:
                (
                    "auto",
                    "\(context.automaticMethod.rawValue)"
                        + (context.automaticReason.isEmpty ? "" : ": " + context.automaticReason)
                )
            case .browser: ("browser", "a browser on this machine, answered on a loopback address")
            case .privateWindow: ("private", "a private window: no cookie of yours is in it, and none stays")
            case .native: ("native", "questions here, no browser (External ID only)")
            case .device: ("device", "a code to type on any device")
            case .text: ("text", "a text browser in this terminal")
            }
        case .prompt:
            switch form.prompt {
            case nil: ("as the provider likes", "")
            case .selectAccount: ("select_account", "choose among the browser's accounts")
            case .login: ("login", "type the password again")
            case .consent: ("consent", "ask for consent again")
            case .create: ("create", "make a new account")
            case .none?: ("none", "fail rather than ask")
            }
        case .authority, .tenant, .scopes, .loginHint: nil
        }
    }
}

extension SignInForm {
    func text(_ field: Field) -> TextField? {
        switch field {
        case .client: choice == nil ? clientID : nil
        case .authority: authority
        case .tenant: tenant
        case .scopes: scopes
        case .loginHint: loginHint
        case .method, .prompt: nil
        }
    }
}

extension SignInForm.Field {
    var label: String {
        switch self {
        case .client: "client"
        case .authority: "authority"
        case .tenant: "tenant"
        case .scopes: "scopes"
        case .method: "method"
        case .prompt: "prompt"
        case .loginHint: "login hint"
        }
    }

    fileprivate var placeholder: String {
        switch self {
        case .client: "the client's identifier"
        case .authority: "https://login.microsoftonline.com/organizations"
        case .tenant: "the authority's own"
        case .scopes: "who you are, nothing more"
        case .loginHint: "a username to offer"
        case .method, .prompt: ""
        }
    }

    fileprivate var advice: String {
        switch self {
        case .client:
            """
            The application that you sign in to. Left and right go through the settings' clients; the last place \
            takes any identifier.
            """
        case .authority: "Who signs you in: https and the provider's address."
        case .tenant: "Another tenant at the same authority: its id or one of its domain names."
        case .scopes:
            """
            What the token may do, separated by spaces. RESOURCE/.default asks for everything that was consented \
            to before.
            """
        case .method: "How you are asked."
        case .prompt: "What the provider's page is told to do."
        case .loginHint: "The username that the provider's page begins with."
        }
    }
}
