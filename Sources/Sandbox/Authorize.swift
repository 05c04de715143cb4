/// An authorization request that passed its checks (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1).
struct AuthorizeRequest: Sendable {
    var redirectUri: String
    var state: String?
    var formPost: Bool
    var nonce: String?
    var challenge: String?
    var prompt: Set<String>
    var loginHint: String?
    var clientInfo: Bool
}

extension Ledger {
    /// Until client and redirect URI are known to belong together nothing is redirected (RFC 6749 section 4.1.2.1).
    mutating func authorize(_ inquiry: Inquiry, in realm: Realm, forced: Refusal?) -> Answer {
        let form = inquiry.form
        let client: Client
        do throws(Refusal) { client = try self.client(of: inquiry, in: realm) } catch { return Pages.failure(error) }
        guard let redirectUri = form["redirect_uri"], client.allows(redirect: redirectUri) else {
            return Pages.failure(
                Refusal(
                    "invalid_request",
                    "The redirect URI '\(form["redirect_uri"] ?? "")' specified in the request does not match the redirect URIs configured for the application '\(client.clientId)'.",
                    code: 50011))
        }
        var request = AuthorizeRequest(
            redirectUri: redirectUri, state: form["state"], formPost: form["response_mode"] == "form_post", nonce: form["nonce"],
            challenge: form["code_challenge"], prompt: Set((form["prompt"] ?? "").split(separator: " ").map(String.init)),
            loginHint: form["login_hint"], clientInfo: form["client_info"] == "1")
        do throws(Refusal) {
            if let forced { throw forced }
            let scopes = try checked(form, request: &request, in: realm)
            return begin(request, scopes: scopes, client: client, in: realm, inquiry: inquiry)
        } catch {
            return redirect(error, to: request, in: realm)
        }
    }

    private func checked(_ form: Form, request: inout AuthorizeRequest, in realm: Realm) throws(Refusal) -> Scopes {
        guard form["response_type"] == "code" else {
            throw Refusal("unsupported_response_type", "Only the response type 'code' is supported.", code: 700_054)
        }
        if let mode = form["response_mode"], mode != "query", mode != "form_post" {
            throw Refusal("invalid_request", "The response mode '\(mode.prefix(40))' is not supported.", code: 90014)
        }
        if let challenge = request.challenge {
            // RFC 7636 section 4.4.1: plain is refused; it protects nothing that S256 does not protect better.
            guard form["code_challenge_method"] == "S256", challenge.utf8.count == 43 else {
                throw Refusal("invalid_request", "The code challenge must use the method S256.", code: 501_491)
            }
        } else if !realm.isEntra {
            throw Refusal("invalid_request", "code_challenge is required (RFC 7636)")
        }
        if let claims = form["claims"], (try? JSON(parsing: claims))?.members == nil {
            throw Refusal("invalid_request", "The claims parameter is not a JSON object.", code: 900_236)
        }
        let known: Set<String> = ["none", "login", "select_account", "consent", "create"]
        guard request.prompt.isSubset(of: known), !request.prompt.contains("none") || request.prompt.count == 1 else {
            throw Refusal("invalid_request", "The prompt value is not supported.", code: 90023)
        }
        guard let text = form["scope"] else { throw .missing("scope") }
        return try readScopes(text, in: realm)
    }

    private mutating func begin(
        _ request: AuthorizeRequest, scopes: Scopes, client: Client, in realm: Realm, inquiry: Inquiry
    ) -> Answer {
        var transaction = Transaction(
            purpose: .authorize(request), realm: realm, clientId: client.clientId, scopes: scopes, startedAt: now)
        let silent = request.prompt.contains("none")
        if auto == nil, inquiry.isCurl, inquiry.headers["cookie"] == nil, request.prompt.isSubset(of: ["none"]), inquiry.method == "GET" {
            transaction.username = curlUser(request.loginHint, in: realm)
            transaction.agreesToAll = transaction.username != nil
        } else if request.prompt.isDisjoint(with: ["login", "select_account", "create"]) {
            let remembered = rememberedUsers(inquiry, in: realm)
            let hinted = request.loginHint?.lowercased()
            transaction.username = remembered.first { $0 == hinted } ?? (hinted == nil && remembered.count == 1 ? remembered[0] : nil)
        }
        if let auto, let user = Directory.user(auto), realm.admits(user) {
            transaction.username = user.username
            transaction.agreesToAll = true
        }
        if silent {
            guard let user = transaction.username.flatMap(Directory.user), realm.admits(user) else {
                return redirect(
                    Refusal("login_required", "Silent sign-in request failed: no user is signed in.", code: 50058), to: request, in: realm)
            }
            if !transaction.agreesToAll, !openQuestions(scopes, client: client, user: user, realm: realm).isEmpty {
                var refusal = Refusal.consentRequired
                refusal.error = "consent_required"
                return redirect(refusal, to: request, in: realm)
            }
        }
        let id = Chance.token()
        transactions[id] = transaction
        return proceed(id, Form(), inquiry: inquiry)
    }

    /// curl without cookies is treated like a browser that holds a session: as the hinted user, else the first one admitted here.
    private func curlUser(_ hint: String?, in realm: Realm) -> String? {
        if let hint { return Directory.user(hint)?.username }
        return Directory.users.first(where: realm.admits)?.username
    }

    /// Sends the code back (RFC 6749 section 4.1.2, RFC 9207 section 2).
    mutating func redirectWithCode(_ user: User, _ request: AuthorizeRequest, transaction: Transaction) -> Answer {
        let secret = "0.sandbox." + Chance.token()
        codes[secret] = AuthorizationCode(
            clientId: transaction.clientId, redirectUri: request.redirectUri, challenge: request.challenge, realm: transaction.realm,
            username: user.username, scopes: transaction.scopes, nonce: request.nonce, authTime: now,
            expiresAt: now + AuthorizationCode.lifetime, chain: Chance.token(12))
        let entra = transaction.realm.isEntra
        return deliver(
            Form([
                ("code", secret), ("client_info", entra && request.clientInfo ? Ledger.clientInfo(user) : nil), ("state", request.state),
                ("session_state", entra ? Chance.uuid() : nil), ("iss", entra ? nil : transaction.realm.issuer),
            ]), to: request)
    }

    func redirect(_ refusal: Refusal, to request: AuthorizeRequest, in realm: Realm) -> Answer {
        let body = realm.isEntra ? refusal.entraBody(correlationId: nil, now: date) : refusal.plainBody()
        return deliver(
            Form([
                ("error", refusal.error), ("error_description", body["error_description"]?.string),
                ("error_subcode", realm.isEntra && refusal.codes == [65004] ? "cancel" : nil),
                ("suberror", refusal.suberror), ("claims", refusal.claims), ("state", request.state),
                ("iss", realm.isEntra ? nil : realm.issuer),
            ]), to: request)
    }

    private func deliver(_ parameters: Form, to request: AuthorizeRequest) -> Answer {
        request.formPost ? Pages.formPost(to: request.redirectUri, parameters) : .redirect(to: parameters.appended(to: request.redirectUri))
    }
}
