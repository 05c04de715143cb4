/// Self-service pages for customers of B2C and External ID: sign-up, password reset, profile.
extension Transaction {
    enum SignInStep { case page(SandboxResponse), user(BrowserSession, cookie: String?) }

    func signInPage(_ id: String, client: HostedClient, hint: String?, problem: String?) -> SandboxResponse {
        switch issuer.policy {
        case Directory.resetPolicy: return Pages.newPassword(id, client: client, hint: hint, problem: problem)
        case Directory.signUpPolicy: return Pages.signUp(id, client: client, hint: hint, problem: problem)
        case .some:
            let forgot = " <button name=\"forgot\" value=\"1\">Forgot your password?</button>"
            return Pages.signIn(
                id, client: client, users: usernames(in: issuer), hint: hint, problem: problem, more: forgot)
        case nil:
            if prompt.contains("create"), issuer.customersSignUp {
                return Pages.signUp(id, client: client, hint: hint, problem: problem)
            }
            return Pages.signIn(id, client: client, users: usernames(in: issuer), hint: hint, problem: problem)
        }
    }

    private func usernames(in issuer: HostedIssuer) -> [String] {
        Directory.users.filter(issuer.admits).map(\.username)
    }

    /// The forms for signing up and for a new password; nil if the request contains neither.
    func signUpOrReset(_ id: String, _ form: Form, client: HostedClient, people: inout People, now: Int) -> SignInStep?
    {
        guard let username = form["username"], let password = form["new_password"] else { return nil }
        guard password.utf8.count >= 8 || password == Directory.password else {
            return .page(
                signInPage(id, client: client, hint: username, problem: "A password has eight characters or more."))
        }
        if issuer.policy == Directory.resetPolicy {
            guard let user = people.user(username), issuer.admits(user) else {
                return .page(signInPage(id, client: client, hint: username, problem: "There is no such account."))
            }
            people.setPassword(password, of: user.username)
            return .user(BrowserSession(username: user.username, authTime: now), cookie: nil)
        }
        guard issuer.policy == Directory.signUpPolicy || issuer.customersSignUp, let tenant = issuer.customerTenant
        else {
            return nil
        }
        guard let user = people.enrol(username, name: form["display_name"] ?? username, password: password, in: tenant)
        else {
            return .page(
                signInPage(
                    id, client: client, hint: username,
                    problem: "This address is taken, or is not an email address."))
        }
        return .user(BrowserSession(username: user.username, authTime: now), cookie: nil)
    }

    /// The profile policy shows it once, after the sign-in.
    func profilePage(_ id: String, _ form: Form, user: User, client: HostedClient, people: inout People)
        -> SandboxResponse?
    {
        guard issuer.policy == Directory.editPolicy else { return nil }
        guard let name = form["display_name"], form["profile"] == "save" else {
            return Pages.profile(id, client: client, user: user)
        }
        people.rename(user.username, to: name)
        return nil
    }
}

extension HostedIssuer {
    var customerTenant: Tenant? {
        switch shape {
        case .b2c: Directory.b2cTenant
        case .entra(.tenant(let tenant)) where tenant == Directory.ciamTenant: tenant
        default: nil
        }
    }

    /// External ID offers sign-up on the ordinary page; at B2C it is a separate policy.
    var customersSignUp: Bool { isEntra && customerTenant != nil }
}

extension Pages {
    static func signUp(_ id: String, client: HostedClient, hint: String?, problem: String?) -> SandboxResponse {
        page(
            "Create an account",
            """
            <p>to continue to <b>\(escape(client.name))</b></p>
            \(notice(problem))
            \(form(id, """
                <p><label>Email address <input name="username" autocomplete="email" value="\(escape(hint ?? ""))"></label></p>
                <p><label>Name <input name="display_name" autocomplete="name"></label></p>
                <p><label>Password <input name="new_password" type="password" autocomplete="new-password"></label></p>
                <p><button type="submit">Create</button> <button name="cancel" value="1">Cancel</button></p>
                """))
            """, status: problem == nil ? 200 : 403)
    }

    static func newPassword(_ id: String, client: HostedClient, hint: String?, problem: String?) -> SandboxResponse {
        page(
            "Choose a new password",
            """
            <p>to continue to <b>\(escape(client.name))</b></p>
            \(notice(problem))
            \(form(id, """
                <p><label>Email address <input name="username" autocomplete="username" value="\(escape(hint ?? ""))"></label></p>
                <p><label>New password <input name="new_password" type="password" autocomplete="new-password"></label></p>
                <p><button type="submit">Continue</button> <button name="cancel" value="1">Cancel</button></p>
                """))
            """, status: problem == nil ? 200 : 403)
    }

    static func profile(_ id: String, client: HostedClient, user: User) -> SandboxResponse {
        page(
            "Your details",
            """
            <p>\(escape(user.username)) at <b>\(escape(client.name))</b></p>
            \(form(id, """
                <p><label>Name <input name="display_name" autocomplete="name" value="\(escape(user.name))"></label></p>
                <p><button name="profile" value="save">Continue</button> <button name="cancel" value="1">Cancel</button></p>
                """))
            """)
    }
}
