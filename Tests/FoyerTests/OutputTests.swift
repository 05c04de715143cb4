import Foundation
import Identity
import StrictJSON
import Testing
import TokenCache

@testable import CommandSupport
@testable import foyer_main

@Suite struct OutputTests {
    @Test func `An error has every member of the contract, null where nothing is known`() throws {
        let object = try #require(Failure(.notFound, "no such account").json.object)
        #expect(
            Set(object.members.map(\.name)) == [
                "code", "message", "hint", "oauthError", "suberror", "description", "serverCodes", "claims",
                "correlationId", "grantedScopes", "declinedScopes",
            ])
        #expect(object["code"]?.string == "notFound" && object["message"]?.string == "no such account")
        #expect(object["hint"]?.string == "list them with \"foyer accounts\"")
        for name in ["oauthError", "suberror", "description", "claims", "correlationId"] {
            #expect(object[name] == .null, "\(name)")
        }
        #expect(object["serverCodes"]?.array == [] && object["grantedScopes"]?.array == [])
    }

    @Test func `An error says what the provider said, with its numbers`() throws {
        let id = try #require(UUID(uuidString: "7F2F5E0B-0000-4000-8000-000000000001"))
        let failure = Failure(
            .declinedScopes, "not granted: b", hint: "ask for fewer", oauthError: "invalid_grant",
            suberror: "consent_required", serverCodes: [65001], claims: "{}", correlationID: id, grantedScopes: ["a"],
            declinedScopes: ["b"], oauthDescription: "AADSTS65001: consent")
        let object = try #require(failure.json.object)
        #expect(object["hint"]?.string == "ask for fewer" && object["claims"]?.string == "{}")
        #expect(object["oauthError"]?.string == "invalid_grant" && object["suberror"]?.string == "consent_required")
        #expect(object["correlationId"]?.string == id.uuidString.lowercased())
        #expect(object["serverCodes"]?.array == [JSONValue(integer: 65001)])
        #expect(object["grantedScopes"]?.array == [.string("a")] && object["declinedScopes"]?.array == [.string("b")])
        #expect(object["description"]?.string == "AADSTS65001: consent")
    }

    @Test(
        arguments: [
            (Failure.Code.interactionRequired, 3), (.declinedScopes, 4), (.serverError, 5), (.unavailable, 6),
            (.storeError, 7), (.notFound, 8), (.ambiguous, 8), (.untrustedResponse, 9), (.usage, 64),
            (.invalidInput, 65),
            (.configuration, 78), (.cancelled, 130),
        ] as [(Failure.Code, Int32)])
    func `Each code has the exit status of the contract`(code: Failure.Code, status: Int32) {
        #expect(code.exitStatus == status)
    }

    private let id = UUID(uuidString: "7F2F5E0B-0000-4000-8000-000000000001")
    private let said = """
        AADSTS70043: The refresh token has expired. Trace ID: 11111111-0000-4000-8000-000000000001 \
        Correlation ID: 7f2f5e0b-0000-4000-8000-000000000001 Timestamp: 2026-11-22 04:19:36Z
        """

    @Test func `What the provider said and its numbers stand once in an error`() {
        let failure = Failure(
            .serverError, "the provider refused (invalid_grant): " + said, hint: "ask somebody",
            oauthError: "invalid_grant", serverCodes: [70043], correlationID: id, oauthDescription: said)
        #expect(
            failure.lines == [
                "foyer: the provider refused (invalid_grant): The refresh token has expired", "hint: ask somebody",
                "code AADSTS70043, correlation id 7f2f5e0b-0000-4000-8000-000000000001",
            ])
    }

    @Test func `What the provider said stands below a sentence of our own`() {
        let failure = Failure(
            .interactionRequired, "multi-factor authentication is required", oauthError: "invalid_grant",
            serverCodes: [70043], correlationID: id, oauthDescription: said)
        #expect(
            failure.lines == [
                "foyer: multi-factor authentication is required",
                "the provider says: The refresh token has expired", "hint: run \"foyer sign-in\"",
                "code AADSTS70043, correlation id 7f2f5e0b-0000-4000-8000-000000000001",
            ])
        #expect(Failure(.notFound, "no such account.").lines.count == 2)
    }

    @Test func `Another request's numbers in what the provider said are kept`() {
        let failure = Failure(
            .serverError, "refused", hint: "wait", oauthError: "server_error",
            correlationID: UUID(uuidString: "00000000-0000-4000-8000-00000000000F"), oauthDescription: said)
        #expect(failure.lines[1].contains("Trace ID: 11111111"))
    }

    @Test func `A sign-in that is hinted at has the options that decide who signs in where`() throws {
        let environment = ProcessEnvironment { $0 == "HOME" ? "/nonexistent" : nil }
        func command(_ options: TokenOptions) throws -> String {
            try CommandContext(options, environment: environment).signInCommand()
        }
        #expect(try command(TokenOptions()) == "foyer sign-in --client azure-cli")
        #expect(
            try command(
                TokenOptions {
                    ($0.client, $0.authority, $0.scopes) = ("Azure CLI", "https://id.example/x", ["a b"])
                    ($0.account, $0.store, $0.json) = ("zoe o'neil", "/tmp/x", true)
                })
                    == """
                    foyer sign-in --client 'Azure CLI' --authority https://id.example/x --scope 'a b' \
                    --account 'zoe o'\\''neil' --store /tmp/x
                    """)
        #expect(try command(TokenOptions { $0.clientID = "x" }) == "foyer sign-in --client-id x")
        let failure = Failure(.interactionRequired, "x", hint: .signInAgain)
        let hinted = failure.hinted(signIn: "foyer sign-in --store y")
        #expect(hinted.lines[1] == "hint: run \"foyer sign-in --store y\" to try again")
        #expect(Failure(.notFound, "x").hinted(signIn: "y").hint == nil)
    }

    @Test func `What protects a store acts on the store that was named, and the demo says nothing`() throws {
        let environment = ProcessEnvironment { $0 == "HOME" ? "/nonexistent" : nil }
        let file = StoreSpec.file(path: "/tmp/x")
        let move = "foyer store move --to encrypted:/nonexistent/.local/share/foyer/token_cache.sealed"
        func command(_ options: TokenOptions, isDemo: Bool = false) throws -> String? {
            var context = try CommandContext(options, environment: environment)
            if isDemo { context.homeOfPrograms = "/tmp/demo" }
            return context.commandToProtect(file)
        }
        #expect(try command(TokenOptions()) == move)
        #expect(
            try command(TokenOptions { ($0.client, $0.store) = ("a b", "/tmp/x y") }) == move + " --store '/tmp/x y'")
        #expect(try command(TokenOptions { $0.client = "a b" }) == move + " --client 'a b'")
        #expect(try command(TokenOptions { $0.store = "/tmp/x" }, isDemo: true) == nil)
        #expect(
            try CommandContext(TokenOptions(), environment: environment).commandToProtect(.encrypted(path: "x")) == nil
        )
    }

    @Test func `JSON is asked for before the options are read`() {
        #expect(Output(arguments: ["token", "--json"]).json && !Output(arguments: ["token"]).json)
    }

    @Test func `Providers and keyrings are told that foyer asks`() {
        #expect(Product.name == "foyer")
    }
}
