import StrictJSON
import Testing

@testable import Identity

/// What a log shows of a text with names.
@Suite struct NameMaskTests {
    @Test(arguments: [
        ("signed in as ada@contoso.example.", [], "signed in as <masked>."),
        ("refused: \"ada@contoso.example\", try (bob@x.y)", [], "refused: \"<masked>\", try (<masked>)"),
        ("adal:ada@contoso.example#EXT#", [], "adal:<masked>"),
        ("Ada Lovelace (ada) has no data", ["ada", "Ada Lovelace"], "<masked> (<masked>) has no data"),
        ("ADA-1 of ada", ["ada"], "<masked>-1 of <masked>"), ("Grüße", ["Gr"], "Grüße"),
        ("no token for login.microsoftonline.com", ["", "nobody"], "no token for login.microsoftonline.com"),
        ("", ["ada"], ""),
    ])
    func `Known names and every word with an at sign are hidden`(text: String, names: [String], shown: String) {
        #expect(NameMask.masked(text, hiding: names) == shown)
    }

    @Test func `No description, mirror or masked text of a value has a name`() throws {
        let account = Account(
            homeAccountID: "17", environment: "github.com", username: "octo", name: "Octo Cat",
            tenantProfiles: [TenantProfile(tenantID: "", localAccountID: "17", username: "octo", isHome: true)])
        let failure = Failure(
            .interactionRequired, "no usable token for octo: Octo Cat is gone", hint: "sign in as octo",
            trail: AcquisitionTrace([Step(.account, .done, "octo", naming: ["octo"])]),
            oauthDescription: "Octo Cat is gone.", naming: account.names)
        let values: [Any] = [
            account, account.id, account.tenantProfiles, failure, failure.trail, [failure.trail.steps[0]],
            TokenRequest(scopes: ["repo"], account: account, loginHint: "octo"),
            Claims(try #require(try JSONValue(parsing: Array("{\"login\":\"octo\"}".utf8)).object)),
        ]
        for value in values {
            var text = "\(value) \(String(reflecting: value)) "
            dump(value, to: &text)
            #expect(!text.contains("octo") && !text.contains("Octo") && !text.contains("17"), "\(text)")
        }
        #expect(failure.maskedMessage == "no usable token for <masked>: <masked>")
        #expect("\(failure)" == "no usable token for <masked>: <masked>; sign in as <masked>")
        #expect(failure.message == "no usable token for octo: Octo Cat is gone")
    }
}
