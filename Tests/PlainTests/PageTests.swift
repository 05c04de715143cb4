import FoundationEssentials
import Identity
import Keys
import Testing

@testable import AppModel
@testable import Plain

/// Whole pages as they are told.
@Suite struct PageTests {
    private static let others = """
         7  device-code: by device code; signs in again
         8  paste-token: paste a token; to inspect it, it is not stored
         9  remove: remove (the account or all marked) from one client; asks first
         10  sign-out: sign out (one or all marked): revoke, remove, end browser session; asks first
         11  cycle-sorting: sort: most used, name, last used, expiring first
         12  cycle-grouping: group: by cloud, tenant, client, store or none
         13  mark: mark or unmark; for bulk remove and sign-out
         14  mark-range: mark the range
         15  reload: reload
         16  activity: who asked for tokens: this session, programs, the agent
         17  failures: what was refused, and how to fix it
         18  doctor: checks settings, store, terminal, browser, network, clock
         19  settings: their values and sources
         20  stores: token stores; on this machine, and which are used
         21  agent: status, pending requests, tokens given
         22  programs: tokens given to them, and why
         23  themes: try and keep one
         0  quit
        """

    @Test func `The first page has the accounts, the selected one, and five actions by number; more lists the others`()
    {
        var sample = Sample()
        #expect(
            sample.tell().joined(separator: "\n") == """

                2 accounts
                the account: ada@example.org: renews on use
                 1  choose an account
                 2  open: token
                 3  sign-in: add
                 4  inspect
                 5  scopes: consent
                 6  more: 17 others
                 0  quit
                 ?  what a number does
                """)
        #expect(sample.prompt == "number: ")
        #expect(sample.answer("more").joined(separator: "\n") == Self.others)
        sample.answer("18")
        #expect(sample.state.top is DoctorPage)
    }

    @Test func `A question mark says what the numbers do, how to answer, and where the store is`() {
        var sample = Sample()
        _ = sample.tell()
        let told = sample.answer("?")
        #expect(told.contains("Store ~/store.json (plain file)"))
        #expect(told.contains(" 5  scopes: consent; what each client was granted"))
        #expect(told.joined(separator: "\n").hasSuffix(Self.others))
        for line in ["?5", "? 5"] {
            #expect(sample.answer(line)[0] == " 5  scopes: consent; what each client was granted")
        }
    }

    /// Twenty seconds at 175 words a minute.
    private static let mostWords = 58

    @Test func `The first page says who needs the user, and is read aloud in twenty seconds`() {
        let accounts = ["zoe", "taro"].map(Sample.account) + (1...9).map { Sample.account("user\($0)") }
        var sample = Sample(accounts)
        let list = AccountList(
            accounts.map { AccountOverview(account: $0, credentials: []) }, clientName: { $0 },
            planner: CallPlanner { account, use, now in
                PlannedCall(
                    use: use, request: TokenRequest(scopes: [], correlationID: TokenRequest.unnumbered),
                    words: "",
                    status: account.username.hasPrefix("user")
                        ? .valid(until: now.addingTimeInterval(3600)) : .signInNeeded)
            })
        let told = sample.receive(.loaded(list))
        #expect(told[1] == "11 accounts; 2 need sign-in: taro, zoe")
        #expect(told[2] == "the account: taro@example.org: needs sign-in")
        #expect(told.contains(" 2  open: sign in") && told.contains(" 5  next-needing-you"))
        let words = (["foyer, plain mode"] + told + [sample.prompt]).joined(separator: " ").split(separator: " ")
        #expect(words.count <= Self.mostWords, "\(words.count)")
        sample.answer("5")
        #expect(sample.state.home.selectedAccount?.account.username == "zoe@example.org")
        #expect(sample.answer("1").contains { $0.hasSuffix("  user1@example.org: cached token, 1 hour") })
    }

    @Test func `A removal says what it does before it is asked about`() {
        var sample = Sample()
        #expect(
            sample.answer("remove").joined(separator: "\n") == """

                Remove the account?
                ada@example.org
                client: work
                will be removed from this store for this client only
                nothing is revoked: no server is contacted
                the browser session is kept
                other clients keep their tokens
                "toggle-wipe" [ ] all clients and saved data of the account
                 1  do-it: confirm
                 2  toggle-wipe: all clients or this one
                 0  cancel: cancel
                """)
        #expect(sample.effects == [])
    }

    @Test func `The form of a sign-in has its fields by number`() {
        var sample = Sample()
        #expect(
            sample.answer("sign-in").joined(separator: "\n") == """

                Sign in
                The app to sign in with: left/right to choose; last entry: any client ID.
                What will happen
                asks: login.microsoftonline.com
                  low: User.Read: signs you in and reads your own profile
                by: device code: no display here
                  uses the sessions of the browser where you enter the code
                stores in: ~/store.json
                  plain file
                client: work
                then: foyer token --client work --account USERNAME
                  gets this sign-in's token from the cache
                 1  change the authority: https://login.microsoftonline.com/organizations
                 2  change the client: work, 11111111-2222-3333-4444-555555555555
                 3  change the scopes: User.Read
                 4  change the method: auto, device: no display here
                 5  change the tenant (not set: the authority's)
                 6  change the prompt: provider's default
                 7  change the login hint (not set)
                 8  start: start the sign-in
                 9  known-clients: choose one of your clients or a well-known one
                 10  look-up-provider: ask the provider which sign-in methods it supports
                 0  back
                """)
    }

    @Test func `A failure tells what the provider said and what to do`() throws {
        var sample = Sample()
        sample.answer("open")
        sample.receive(
            .reply(
                .failed(
                    Failure(
                        .interactionRequired, "the provider rejected the refresh token", hint: "sign in again",
                        oauthError: "invalid_grant", serverCodes: [50076])), RequestID(1)),
            .reply(.ended(milliseconds: 5), RequestID(1)))
        sample.answer("0")
        #expect(
            sample.answer("failures").joined(separator: "\n") == """

                Failures
                the failure: 04:00, foyer, ada@example.org, needs sign-in, 5 ms
                 1  open: show the provider's response and the fix
                 2  next-view: next view; all, programs, agent, failures, doctor
                 0  back
                """)
        #expect(
            sample.answer("1").joined(separator: "\n") == """

                Failures
                token: the provider rejected the refresh token
                account: ada@example.org
                client: work
                began: 2026-11-21 04:00 UTC
                took: 5 ms
                What the provider said
                AADSTS50076 · invalid_grant
                AADSTS50076: a second factor is required: a policy of the tenant changed, or you are at another location than before
                What you can do
                sign in again
                 1  next-view: next view; all, programs, agent, failures, doctor
                 0  back
                """)
    }

    @Test func `A device code is told once, with where to enter it`() throws {
        var sample = Sample()
        sample.answer("sign-in")
        sample.answer("start")
        let prompt = DeviceCodePrompt(
            userCode: "BCDF-GHJK", verificationURI: try WebAddress("https://microsoft.com/devicelogin"),
            verificationURIComplete: nil, startedAt: Sample.now, expiresAt: Sample.now.addingTimeInterval(900),
            interval: 5)
        #expect(
            sample.receive(.reply(.signIn(.deviceCode(prompt)), RequestID(1))).joined(separator: "\n") == """
                 1  Open: https://microsoft.com/devicelogin
                 2  Enter: BCDF-GHJK
                code: BCDF-GHJK
                 3  Sign in as: the account you want and approve:
                    low: User.Read: signs you in and reads your own profile
                waiting for you (0:00)
                code expires in 15:00
                Never enter a code that someone sent you: it signs them in as you.
                 1  open-browser: open the URL in a browser here
                 2  switch-method: cancel, and start again with the next method
                 0  back
                """)
        let poll = DevicePoll(answer: .pending, number: 2, interval: 5, nextAt: Sample.now.addingTimeInterval(5))
        #expect(
            sample.receive(.reply(.signIn(.poll(poll)), RequestID(1)), .tick(Sample.now.addingTimeInterval(7))) == [])
    }

    @Test func `Commands are named by what is typed, and no key is`() {
        let failures = [
            Failure.Code.cancelled, .unavailable, .untrustedResponse, .serverError, .usage, .declinedScopes,
        ]
        var told: [String] = []
        for command in ["open", "sign-in", "activity", "inspect", "scopes", "settings", "stores", "sign-out"] {
            var sample = Sample()
            told += sample.tell() + sample.answer(command)
        }
        for code in failures {
            var sample = Sample()
            sample.answer("sign-in")
            told += sample.answer("start")
            told += sample.receive(.reply(.failed(Failure(code, "it did not work")), RequestID(1)))
        }
        var sample = Sample([])
        told += sample.tell()
        #expect(told.contains("working; \"back\" cancels"))
        #expect(told.contains { $0.hasSuffix("open: show the account, or try again") })
        #expect(told.contains { $0.hasPrefix("\"open\": edit these values") })
        let names = ["Esc", "Enter", "Space", "Tab", "F1", "F2", "a", "b", "m", "r", "w"]
        let keys = names.flatMap { key in told.filter { $0.hasPrefix(key + " ") || $0.contains("; \(key) ") } }
        #expect(keys == [])
    }

    @Test func `A demo says that it is one`() {
        var context = Sample.context
        context.isDemo = true
        var sample = Sample([Sample.ada], context)
        #expect(sample.tell().contains("Demo: 1 account"))
    }
}
