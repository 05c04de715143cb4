import Identity
import SilentFirst
import SilentFirstTesting
import Testing

@testable import MailClient

@Test func `The status line asks once, and says what is wrong`() async throws {
    let provider = TestProvider()
    let authority = try Authority("https://login.microsoftonline.com/organizations")
    let browser = provider.browser()
    let application = provider.application(ClientConfiguration(clientID: "mail-client", authority: authority))
    let mailbox = Mailbox(application: application, userAgents: browser.userAgents)
    #expect(await mailbox.status(mayAsk: false) == "sign in to read mail")
    #expect(await mailbox.status(mayAsk: true) == "mail of ada@contoso.example")
    provider.clock.advance(by: 3600)
    #expect(await mailbox.status(mayAsk: false) == "mail of ada@contoso.example")
    provider.clock.advance(by: 3600)
    provider.answer(with: .unreachable, .interactionRequired)
    #expect(await mailbox.status(mayAsk: false) == "offline")
    #expect(await mailbox.status(mayAsk: false) == "sign in to read mail")
    #expect(browser.opened.count == 1)
}
