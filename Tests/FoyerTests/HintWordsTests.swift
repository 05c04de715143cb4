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
            (.letProviderAsk, "omit --prompt none to let the provider prompt"),
            (
                .browserDidNotReturn(registration: "check the client id"),
                """
                check the client id; otherwise try again with a longer --timeout, or paste the browser's final URL \
                with --paste
                """
            ),
            (.nameAccount, "choose one with --account"),
            (.nameAccountByIdentifier, "use the identifier from \"foyer accounts\", or sign in"),
            (.listAccounts, "list them with \"foyer accounts\""),
            (.grantScopes, "sign in again and grant them, or request fewer: run \"foyer scopes\""),
            (.nameTenant, "ask the tenant's administrator for an invitation, or use your own tenant with --tenant"),
            (.nameIssuer, "if you trust that issuer, set it with --authority"),
            (.useOwnParameter, "protocol parameters have their own options"),
            (
                .registerRedirectURI(registering: "register it"),
                "register it, or use a registered one with --redirect-uri"
            ),
            (
                .tryAnotherRedirectURI,
                "remove it at the provider and try another --redirect-uri, such as http://127.0.0.1:8400/"
            ),
            (.nameClient(how: "ask for one"), "ask for one, and use --client-id"),
            (.registerFewerScopes, "request fewer scopes: --scope openid"),
            (
                .setClientSecret(isRequired: true),
                "set client_secret_file in the client's settings (see \"foyer help settings\"), or use a public client"
            ), (.keepClientSecret, "run \"foyer secret set CLIENT\" with the client's name in the settings"),
            (.tryLater, "try again later; \"--verbose\" shows each step"),
            (.waitLonger, "try again with a longer --timeout"),
            (.checkProvider, "check the provider with \"foyer doctor\", then try again"),
            (.checkProxy, "check HTTPS_PROXY and NO_PROXY"),
            (.nameCertificateFile, "set SSL_CERT_FILE to a PEM certificate file, or unset it"),
            (.trustAuthority, "behind a TLS-inspecting proxy, set SSL_CERT_FILE to its CA"),
            (.checkStore, "run \"foyer doctor\""),
            (.store(.nameStore), "use another store with --store"),
            (
                .store(.importOrNameAnother(path: "/a b")),
                "use another store with --store, or import it with: foyer import '/a b'"
            ),
            (
                .store(.prune),
                "remove expired tokens with \"foyer clean\"; if this persists, move the store away and sign in again"
            ),
            (.store(.unlock), "run it in a terminal, or unlock the store first: foyer store unlock"),
            (.store(.nameAnotherDestination), "use another store with --to, or move that one away"),
        ] as [(Failure.Hint, String)])
    func `A hint of the core is said as what to type`(hint: Failure.Hint, words: String) {
        #expect(hint.words == words)
    }

    @Test func `A code without a hint is said as what to type, too, as text and in JSON`() {
        let failure = Failure(.interactionRequired, "no account is signed in")
        #expect(failure.nextStep?.words == "run \"foyer sign-in\"")
        #expect(failure.json["hint"]?.string == "run \"foyer sign-in\"")
    }
}
