import FoundationEssentials
import Identity
import Testing

@testable import Explain

@Suite struct TokenVerdictTests {
    private let now = Date(timeIntervalSince1970: 1_795_233_600)

    private func token(_ payload: String, header: String = #"{"alg":"RS256"}"#, signature: String = "s") throws
        -> DecodedToken
    {
        DecodedToken(
            try DecodedJWT(
                Secret([header, payload, signature].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: "."))))
    }

    private func words(_ token: DecodedToken?, expiresOn: Date? = nil, _ signature: Verification = .notChecked)
        -> String
    {
        TokenVerdict(token, expiresOn: expiresOn, signature, at: now).words { date in
            let seconds = Int(date.timeIntervalSince(now))
            return seconds < 0 ? "\(-seconds) s ago" : "in \(seconds) s"
        }
    }

    @Test func `An expired token without a signature that may write everything is told as all three`() throws {
        let token = try token(
            #"{"exp":1795230600,"scp":"User.Read Group.ReadWrite.All","aud":"https://graph.microsoft.com"}"#,
            header: #"{"alg":"none"}"#, signature: "")
        #expect(words(token) == "expired 3000 s ago · unsigned (alg none) · critical scope")
        #expect(TokenVerdict(token, .notChecked, at: now).level == .danger)
    }

    @Test func `A live token whose signature was not checked asks for a look, and a checked one for nothing`() throws {
        let token = try token(#"{"exp":1795240000,"scp":"User.Read"}"#)
        #expect(words(token) == "expires in 6400 s · signature not checked")
        #expect(TokenVerdict(token, .notChecked, at: now).level == .attention)
        #expect(TokenVerdict(token, .right(key: "k"), at: now).level == .fine)
        #expect(TokenVerdict(token, .wrong("it does not fit"), at: now).level == .danger)
    }

    @Test(arguments: [#"{"alg":"NONE"}"#, #"{"typ":"JWT"}"#, #"{"alg":""}"#, #"{"alg":7}"#])
    func `Whatever spelling says that nothing is signed, it is said`(header: String) throws {
        #expect(words(try token(#"{"exp":1795240000}"#, header: header)).contains("unsigned ("))
    }

    @Test func `An algorithm without a signature is no signature`() throws {
        #expect(words(try token("{}", signature: "")) == "no expiry · unsigned (empty signature)")
    }

    @Test func `A server that announces no end is told so, and a token that should have said it is not excused`() throws
    {
        #expect(words(nil, expiresOn: .noAnnouncedEnd) == "no announced end")
        #expect(TokenVerdict(nil, expiresOn: .noAnnouncedEnd, .notChecked, at: now).level == .fine)
        #expect(words(try token("{}"), expiresOn: .noAnnouncedEnd).hasPrefix("no expiry"))
    }

    @Test func `An opaque token has no signature, but its server's answer and the risk of its scopes`() throws {
        let github = try #require(KnownServer.named("github"))
        let permissions = TokenPermission.all(of: ["read:user", "delete_repo"], at: .server(github))
        func verdict(_ answer: Verification) -> TokenVerdict {
            TokenVerdict(nil, expiresOn: .noAnnouncedEnd, permissions: permissions, answer, at: now)
        }
        let end: (Date) -> String = { _ in "" }
        #expect(verdict(.notChecked).words(end) == "no announced end · critical scope")
        let accepted = verdict(.accepted(host: "api.github.com", Claims()))
        #expect(accepted.words(end) == "no announced end · api.github.com accepts it · critical scope")
        #expect(accepted.findings.map(\.code) == ["noAnnouncedEnd", "accepted", "criticalRiskScopes"])
        let rejected = verdict(.rejected(host: "api.github.com"))
        #expect(rejected.level == .danger && rejected.words(end).contains("does not accept it: expired or revoked"))
        #expect(verdict(.failed("no network")).words(end).contains("not checked at its server: no network"))
    }

    @Test func `Directory roles are told by name, whatever the case of their numbers`() throws {
        let token = try token(
            #"{"exp":1795240000,"wids":["62E90394-69F5-4237-9190-012177145E10","b79fbf4d-3ef9-4689-8143-76b194e85509"]}"#
        )
        #expect(words(token).hasSuffix(" · Global Administrator"))
        #expect(TokenVerdict(token, .right(key: "k"), at: now).level == .danger)
    }

    @Test func `An application's own role weighs more than the same scope of a person`() throws {
        let graph = #""aud":"00000003-0000-0000-c000-000000000000""#
        let own = try token("{\(graph),\"roles\":[\"Mail.ReadWrite\",\"Odd\"]}")
        let delegated = try token("{\(graph),\"scp\":\"Mail.ReadWrite\"}")
        let (one, other) = (own.permissions[0], delegated.permissions[0])
        #expect(one.kind == .appRole && one.risk == .critical && other.risk == .high)
        #expect(own.permissions[1] == TokenPermission(kind: .appRole, name: "Odd", risk: nil, sentence: nil))
        // Beside scopes, roles are the person's at the resource, and their names are the resource's own.
        #expect(try token("{\(graph),\"scp\":\"openid\",\"roles\":[\"Mail.ReadWrite\"]}").permissions[1].risk == nil)
    }

    @Test func `A scope is explained by the audience that it is for`() throws {
        let azure = try token(#"{"aud":"https://management.azure.com/","scp":"user_impersonation"}"#)
        let other = try token(#"{"aud":"https://storage.azure.com","scp":"user_impersonation"}"#)
        #expect(azure.permissions[0].risk == .critical && other.permissions[0].risk == .high)
    }

    @Test func `A name that no table has is not harmless when it says that it writes everything`() throws {
        #expect(try token(#"{"scp":"Odd.ReadWrite.All"}"#).permissions[0].risk == .high)
        #expect(try token(#"{"roles":["Odd.FullControl.All"]}"#).permissions[0].risk == .critical)
        #expect(try token(#"{"scp":"odd"}"#).permissions[0].risk == nil)
    }

    @Test func `The riskiest permission comes first, and what is not known last`() throws {
        let token = try token(#"{"scp":"odd User.Read Group.ReadWrite.All Mail.Read"}"#)
        #expect(token.permissions.map(\.name) == ["Group.ReadWrite.All", "Mail.Read", "User.Read", "odd"])
    }

    @Test func `Of an opaque token its end is known, and of a refresh token nothing`() {
        #expect(words(nil, expiresOn: now.addingTimeInterval(-5)) == "expired 5 s ago")
        #expect(words(nil) == "")
    }

    @Test func `The end of a token that begins later is not its news`() throws {
        #expect(words(try token(#"{"exp":1795240000,"nbf":1795234600}"#)).hasPrefix("not valid yet, valid in 1000 s"))
    }
}
