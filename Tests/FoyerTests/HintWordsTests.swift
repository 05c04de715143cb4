import Identity
import StrictJSON
import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct HintWordsTests {
    @Test(
        arguments: [
            (.text("ask the administrator"), "ask the administrator"),
            (.signIn, "run \"foyer sign-in\""),
            (.signInWith(remedy: "sign in and consent"), "sign in and consent: run \"foyer sign-in\""),
            (.signInAgain, "run \"foyer sign-in\" to try again"),
            (.useMethod([.browser]), "use --via browser"),
            (.useMethod([.browser, .device]), "use --via browser or --via device"),
            (.createAccount, "check the name, or create the account with --prompt create"),
            (.doNotCreateAccount, "sign in without --prompt create"),
            (.letProviderAsk, "leave out --prompt none, so that the provider can ask"),
            (
                .browserDidNotReturn(registration: "check the client id"),
                """
                check the client id; else try again, --timeout waits longer, or paste the browser's final address with \
                --paste
                """
            ),
            (.nameAccount, "name one with --account"),
            (.nameAccountByIdentifier, "name one by the identifier that \"foyer accounts\" shows, or sign in"),
            (.listAccounts, "list them with \"foyer accounts\""),
            (.grantScopes, "sign in again and grant them, or request fewer: run \"foyer scopes\""),
            (.nameTenant, "ask the tenant's administrator for an invitation, or name your own tenant with --tenant"),
            (.nameIssuer, "if that issuer is the one you mean, name it with --authority"),
            (.useOwnParameter, "parameters of the protocol have options of their own"),
            (
                .registerRedirectURI(registering: "register it"),
                "register it, or name a registered one with --redirect-uri"
            ),
            (
                .tryAnotherRedirectURI,
                "have it removed at the provider, and try another --redirect-uri, such as http://127.0.0.1:8400/"
            ),
            (.nameClient(how: "ask for one"), "ask for one, and use --client-id"),
            (.registerFewerScopes, "try fewer scopes: --scope openid"),
            (.tryLater, "try again later; \"--verbose\" shows what was tried"),
            (.waitLonger, "try again, or give it longer with --timeout"),
            (.checkProvider, "try again; \"foyer doctor\" checks whether the provider answers"),
            (.checkProxy, "check HTTPS_PROXY and NO_PROXY"),
            (.nameCertificateFile, "name a file with certificates in PEM in SSL_CERT_FILE, or unset it"),
            (.trustAuthority, "if a proxy looks into TLS here, name its certificate authority with SSL_CERT_FILE"),
            (.checkStore, "run \"foyer doctor\""),
            (.store(.nameStore), "name a store with --store"),
            (
                .store(.importOrNameAnother(path: "/a b")),
                "name another store with --store, or import it with: foyer import '/a b'"
            ),
            (
                .store(.prune),
                "remove what has expired with \"foyer clean\"; if this persists, move it aside and sign in again"
            ),
            (.store(.unlock), "run it at a terminal, or unlock the store there first: foyer store unlock"),
            (.store(.nameAnotherDestination), "name another store with --to, or move that one aside"),
        ] as [(Failure.Hint, String)])
    func `A hint of the core is said as what to type`(hint: Failure.Hint, words: String) {
        #expect(hint.words == words)
    }

    @Test func `A code without a hint is said as what to type, too, as text and in JSON`() {
        let failure = Failure(.interactionRequired, "nobody is signed in")
        #expect(failure.nextStep?.words == "run \"foyer sign-in\"")
        #expect(failure.json["hint"]?.string == "run \"foyer sign-in\"")
    }
}
