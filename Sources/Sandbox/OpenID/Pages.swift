/// Simple pages for text browsers, curl and users: no script, no external resources, everything escaped.
enum Pages {
    /// - Parameters:
    ///  - users: the accounts to list for users who do not know the sandbox.
    ///  - more: buttons in addition to the usual two, as HTML.
    static func signIn(
        _ id: String, client: HostedClient, users: [String], hint: String?, problem: String?, more: String = ""
    ) -> SandboxResponse {
        page(
            "Sign in",
            """
            <p>to continue to <b>\(escape(client.name))</b></p>
            \(notice(problem))
            \(form(id, """
                <p><label>User name <input name="username" autocomplete="username" value="\(escape(hint ?? ""))"></label></p>
                <p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
                <p><button type="submit">Sign in</button> <button name="cancel" value="1">Cancel</button>\(more)</p>
                """))
            <p><small>This is a sandbox: every password is <code>sandbox</code>. \(escape(users.joined(separator: ", ")))</small></p>
            """, status: problem == nil ? 200 : 403)
    }

    static func chooseAccount(_ id: String, client: HostedClient, accounts: [String]) -> SandboxResponse {
        let buttons = accounts.map { "<p><button name=\"account\" value=\"\(escape($0))\">\(escape($0))</button></p>" }
        return page(
            "Choose an account",
            "<p>to continue to <b>\(escape(client.name))</b></p>"
                + form(
                    id,
                    buttons.joined(separator: "\n")
                        + """
                        <p><button name=\"another\" value=\"1\">Use another account</button> <button \
                        name=\"cancel\" value=\"1\">Cancel</button></p>
                        """
                ))
    }

    static func consent(_ id: String, client: HostedClient, user: User, scopes: [String]) -> SandboxResponse {
        let boxes = scopes.map {
            """
            <p><label><input type=\"checkbox\" name=\"scope\" value=\"\(escape($0))\" checked> \
            \(escape($0))</label></p>
            """
        }
        return page(
            "Permissions requested",
            "<p><b>\(escape(client.name))</b> would like to, as \(escape(user.username)):</p>"
                + form(
                    id,
                    "<input type=\"hidden\" name=\"boxes\" value=\"1\">" + boxes.joined(separator: "\n")
                        + """
                        <p><button name=\"consent\" value=\"accept\">Accept</button> <button name=\"cancel\" \
                        value=\"1\">Cancel</button></p>
                        """
                ))
    }

    static func needsAdministrator(_ id: String, client: HostedClient, user: User, scopes: [String]) -> SandboxResponse
    {
        page(
            "Need admin approval",
            "<p>AADSTS90094: <b>\(escape(client.name))</b> needs permission that only an administrator can grant to "
                + "\(escape(user.username)): \(escape(scopes.joined(separator: " ")))</p>"
                + form(
                    id,
                    """
                    <p><button name=\"cancel\" value=\"1\">Return to the application without granting \
                    consent</button></p>
                    """
                ),
            status: 403)
    }

    static func deviceCode(_ typed: String?, problem: String?) -> SandboxResponse {
        page(
            "Enter the code",
            """
            <p>Enter the code that your application shows. Go on only if you started that sign-in yourself.</p>
            \(notice(problem))
            <form method="post" action="/device">
            <p><label>Code <input name="user_code" autocomplete="off" value="\(escape(typed ?? ""))"></label></p>
            <p><button type="submit">Next</button></p>
            </form>
            """, status: problem == nil ? 200 : 404)
    }

    static func done(client: HostedClient, user: User) -> SandboxResponse {
        page(
            "You are signed in", "<p>\(escape(user.username)) at \(escape(client.name)). You can close this window.</p>"
        )
    }

    static func declined() -> SandboxResponse {
        page("Cancelled", "<p>The sign-in was cancelled. You can close this window.</p>")
    }

    static func signedOut() -> SandboxResponse { page("You are signed out", "<p>You can close this window.</p>") }

    static func front(_ authorities: JSON) -> SandboxResponse {
        let lines = (authorities.members ?? []).flatMap { member in
            member.value.string.map { [(member.name, $0)] }
                ?? (member.value.members ?? []).map { (member.name + " " + $0.name, $0.value.string ?? "") }
        }
        let items = lines.map { name, address in
            let path =
                name == "oidc" || name == "adfs"
                ? "/.well-known/openid-configuration" : "/v2.0/.well-known/openid-configuration"
            return "<li>\(escape(name)): <a href=\"\(escape(address + path))\">\(escape(address))</a></li>"
        }
        return page(
            "foyer-sandbox",
            """
            <p>An identity provider for trying and testing. <a href=\"/device\">Enter a device code</a>, or read \
            the documents of its 
            """
                + """
                authorities. The state is at <a \
                href=\"/_sandbox/state\">/_sandbox/state</a>.</p>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>
                """
        )
    }

    /// Some providers report an unregistered redirect URI as an ordinary page.
    static func mismatch(_ uri: String) -> SandboxResponse {
        page("Error", "<p>Mismatching redirect URI.</p><p><code>\(escape(uri))</code></p>")
    }

    static func confirmSignOut(to target: String) -> SandboxResponse {
        page("Sign out?", "<p>You were signed out.</p><p><a href=\"\(escape(target))\">Back to the application</a></p>")
    }

    static func failure(_ refusal: OAuthErrorResponse) -> SandboxResponse {
        return page(
            "Sorry, but we’re having trouble signing you in",
            "<p>\(escape(refusal.error))</p><p>\(escape(refusal.prefix + refusal.description))</p>",
            status: refusal.status)
    }

    /// OAuth 2.0 Form Post Response Mode: the only page with a script, allowed by a nonce in its policy. The button
    /// does the same.
    static func formPost(to url: String, _ parameters: Form) -> SandboxResponse {
        let nonce = RandomValue.token(16)
        let fields = parameters.pairs.map {
            "<input type=\"hidden\" name=\"\(escape($0.name))\" value=\"\(escape($0.value))\">"
        }
        return page(
            "Back to the application",
            """
            <form method=\"post\" action=\"\(escape(url))\">\(fields.joined())<p><button \
            type=\"submit\">Continue</button></p></form>
            """
                + "<script nonce=\"\(nonce)\">document.forms[0].submit()</script>",
            script: "script-src 'nonce-\(nonce)'; ")
    }

    // MARK: Parts

    static func form(_ id: String, _ inside: String) -> String {
        """
        <form method=\"post\" action=\"/interaction\"><input type=\"hidden\" name=\"transaction\" \
        value=\"\(id)\">\n\(inside)\n</form>
        """
    }

    static func notice(_ problem: String?) -> String {
        problem.map { "<p role=\"alert\"><b>\(escape($0))</b></p>" } ?? ""
    }

    /// The policy has no form-action: browsers apply it to the redirect after a form, which leads to the client's
    /// listener.
    static func page(_ title: String, _ body: String, status: Int = 200, script: String = "") -> SandboxResponse {
        SandboxResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("X-Content-Type-Options", "nosniff"),
                ("Content-Security-Policy", "default-src 'none'; \(script)base-uri 'none'; frame-ancestors 'none'"),
            ],
            body: """
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
                <title>\(escape(title))</title></head>
                <body><h1>\(escape(title))</h1>
                \(body)
                </body></html>

                """)
    }

    static func escape(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): out += "\u{FFFD}"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
