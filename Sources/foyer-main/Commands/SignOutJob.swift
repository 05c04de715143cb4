import AppModel
import CommandSupport
import Explain
import FoundationEssentials
import Identity
import SilentFirst
import StrictJSON
import TokenCache
import TokenCalls

/// Signs accounts out one after the other, and reports what each came to. Ctrl-C lets the running one end and leaves
/// the rest unchanged; once more cancels it.
struct SignOutJob {
    let session: CommandContext
    let options: SignOutOptions
    let browser: Browser
    /// A new file for the receipt.
    let receipt: String?

    private typealias Ended = (outcome: SignOutOutcome, files: Result<Int, Failure>)

    // MARK: One account

    func runOne(_ target: RemovalTarget, place: String) async throws {
        let line = StatusLine(session)
        defer { line?.stop() }
        let isGivenUp = AtomicFlag(false)
        let (outcome, files) = try await end(target, line, "signing out") { leaving in
            Interrupt.watch { _ in
                isGivenUp.value = true
                leaving.cancel()
            }
        }
        line?.stop()
        let account = target.account
        session.output.result(
            .object(
                JSONObject(
                    [
                        JSONMember(name: "account", value: account.json),
                        JSONMember(name: "state", value: row(target, place, outcome).state.rawValue.json),
                    ] + outcome.members + [
                        JSONMember(name: "tokenFilesRemoved", value: TokenFileRemoval.json(files))
                    ])),
            or: ["account: \(account.label)"]
                + outcome.lines(client: place, saysAccessTokens: options.revokesAccessTokens)
                + TokenFileRemoval.lines(files))
        try write(SignOutReceipt([row(target, place, outcome)], elsewhere: elsewhere([target]), at: Date()))
        _ = try files.get()
        guard outcome.isFinished else { throw Self.unfinished("the sign-out of \(account.label) is", outcome) }
        guard isGivenUp.value, case .failed = outcome.sessionEnded else { return }
        throw Failure(
            .cancelled,
            "stopped waiting for the browser; the account has been removed here"
                + (outcome.revoked == .done ? " and revoked" : ""),
            hint: outcome.endSessionURL.map { "to end the browser session, open \($0.text)" })
    }

    private func row(_ target: RemovalTarget, _ place: String, _ outcome: SignOutOutcome) -> SignOutReceipt.Row {
        SignOutReceipt.Row(target.account, client: place, outcome: outcome)
    }

    private static func unfinished(_ what: String, _ outcome: SignOutOutcome?) -> Failure {
        var why = ""
        if case .failed(let words) = outcome?.revoked { why = ": " + words }
        return Failure(
            .unavailable, "\(what) not finished\(why)",
            hint: """
                the refresh token is kept only to be revoked; the agent or the same command tries again, --local gives \
                up on the provider
                """)
    }

    // MARK: Several accounts

    /// - Parameter place: the client that loses an account, as text.
    func run(_ targets: [RemovalTarget], place: (ClientChoice) -> String) async throws {
        let line = StatusLine(session)
        defer { line?.stop() }
        let isStopping = AtomicFlag(false)
        var rows: [SignOutReceipt.Row] = []
        var files = 0
        var trouble: Failure?
        for (number, target) in targets.enumerated() {
            let client = place(target.client)
            guard !isStopping.value else {
                rows.append(.init(target.account, client: client))
                continue
            }
            let words = "signing out \(number + 1) of \(targets.count), \(target.account.label)"
            let result = await Result.of { () throws(Failure) in
                try await end(target, line, words) { leaving in
                    Interrupt.watch { _ in
                        if isStopping.value { leaving.cancel() }
                        isStopping.value = true
                        line?.aside()
                        session.output.note("foyer: stopping after this one; Ctrl-C again cancels it")
                    }
                }
            }
            switch result {
            case .success(let ended):
                rows.append(.init(target.account, client: client, outcome: ended.outcome))
                switch ended.files {
                case .success(let count): files += count
                case .failure(let failure): trouble = trouble ?? failure
                }
            case .failure(let failure):
                rows.append(.init(target.account, client: client, failure: failure))
                trouble = trouble ?? failure
            }
        }
        line?.stop()
        let receipt = SignOutReceipt(rows, elsewhere: elsewhere(targets), at: Date())
        show(receipt, files)
        try write(receipt)
        if let trouble { throw trouble }
        let waiting = receipt.count(.signingOut)
        if waiting > 0 {
            throw Self.unfinished(
                waiting == 1 ? "1 sign-out is" : "\(waiting) sign-outs are",
                waiting == 1 ? rows.first { $0.state == .signingOut }?.outcome : nil)
        }
        guard !isStopping.value else {
            throw Failure(.cancelled, "stopped; \(receipt.summary)")
        }
    }

    private func show(_ receipt: SignOutReceipt, _ files: Int) {
        guard !session.shared.json else {
            return session.output.result(
                JSONValue(
                    ("signOuts", .array(receipt.rows.map(json))),
                    ("signedOut", JSONValue(integer: receipt.count(.signedOut))),
                    ("signingOut", JSONValue(integer: receipt.count(.signingOut))),
                    ("failed", JSONValue(integer: receipt.count(.failed))),
                    ("notStarted", JSONValue(integer: receipt.count(.notStarted))),
                    (
                        "elsewhere",
                        .array(
                            receipt.elsewhere.map {
                                JSONValue(("program", $0.program.json), ("accounts", JSONValue(integer: $0.count)))
                            })
                    ),
                    ("tokenFilesRemoved", JSONValue(integer: files))))
        }
        let screen = session.screen
        session.list(
            receipt.rows,
            [
                .init("ACCOUNT", least: 16) { .init($0.account.label) },
                .init("CLIENT", least: 8, rank: 2) { .init($0.client, .muted) },
                .init("STATE") { .init($0.state.rawValue, $0.state == .signedOut ? .text : .attention) },
                .init("REVOKED", least: 8) { .init($0.revoked) },
                .init("REMOVED", least: 8, rank: 1) { .init($0.removed) },
                .init("STILL VALID", least: 16, usual: 60, rank: 3) { .init($0.stillValid(\.rfc3339) ?? "", .muted) },
            ])
        session.output.trailer(receipt.summary, on: screen)
        if let line = receipt.elsewhereLine { session.output.trailer(line, on: screen) }
    }

    private func json(_ row: SignOutReceipt.Row) -> JSONValue {
        .object(
            JSONObject(
                [
                    JSONMember(name: "account", value: row.account.json),
                    JSONMember(name: "client", value: row.client.json),
                    JSONMember(name: "state", value: row.state.rawValue.json),
                    JSONMember(name: "error", value: row.failure?.json ?? .null),
                ] + (row.outcome?.members ?? [])))
    }

    private func write(_ receipt: SignOutReceipt) throws(Failure) {
        guard let name = self.receipt else { return }
        let text =
            name.hasSuffix(".json")
            ? JSONValue(("at", Date().rfc3339.json), ("signOuts", .array(receipt.rows.map(json)))).serialized(
                pretty: true) + "\n"
            : receipt.text
        try ClaimsFile.write(text, to: name, path: session.environment.expand(name))
        session.output.note("foyer: receipt written to \(name) (mode 0600)")
    }

    /// The programs in whose own stores these people are still signed in.
    private func elsewhere(_ targets: [RemovalTarget]) -> [(program: String, count: Int)] {
        let people = Set(targets.map(\.account.id))
        let stores = (try? session.storesElsewhere(readsHidden: true)) ?? []
        let held = session.accounts(in: stores, readsHidden: true).filter { people.contains($0.account.id) }
        return Dictionary(grouping: held) { $0.store?.name ?? "" }.map { ($0.key, $0.value.count) }.sorted {
            $0.program < $1.program
        }
    }

    // MARK: The sign-out itself

    private func end(
        _ target: RemovalTarget, _ line: StatusLine?, _ words: String,
        watch: (Task<Result<SignOutOutcome, Failure>, Never>) -> Interrupt.Watch
    ) async throws(Failure) -> Ended {
        let application = try session.application(target.client, cache: session.cache(target.client).watched)
        // Reports the reason for a wait, and how to stop it.
        let tellWait: @Sendable (String) -> Void = { [session] words in
            line?.aside()
            session.output.event("waiting", [("detail", words.json)], or: "waiting \(words); Ctrl-C stops waiting")
        }
        let agents = browser.signOutUserAgents { tellWait($0) }
        let leaving = Task(executorPreference: BlockingExecutor.shared) { [session, options] in
            await Result.of { () throws(Failure) in
                try await application.signOut(target.account, options: options, userAgents: agents) { step in
                    if step.outcome == .waiting {
                        tellWait(step.detail)
                    } else {
                        line?.aside()
                        session.output.step(step)
                    }
                }
            }
        }
        line?.show(after: 1, counting: words)
        let interrupt = watch(leaving)
        defer { interrupt.cancel() }
        let result = await leaving.value
        await application.close()
        let outcome = try result.get()
        return (outcome, await session.removeTokenFiles(of: target.account))
    }
}

extension SignOutOutcome {
    var members: [JSONMember] {
        let members: [(String, JSONValue)] = [
            ("revoked", revoked.json), ("accessTokensRevoked", accessTokensRevoked.json), ("removed", removed.json),
            ("sessionEnded", sessionEnded.json), ("endSessionUrl", endSessionURL?.text.json ?? .null),
            ("grantPage", (grantPage?.text).json), ("accessTokensDieAt", (accessTokensExpire?.announced).json),
            ("accessTokensRemain", .bool(accessTokensExpire != nil)), ("finished", .bool(isFinished)),
        ]
        return members.map { JSONMember(name: $0.0, value: $0.1) }
    }

    func lines(client: String, saysAccessTokens: Bool = false) -> [String] {
        ["revoked at the provider: " + revoked.words]
            + (grantPage.map { ["  the grant remains until you end it: " + $0.text] } ?? [])
            + (saysAccessTokens ? ["access tokens revoked: " + accessTokensRevoked.words] : []) + [
                "removed from \(client): " + (isFinished ? removed.words : "kept only to be revoked, never used"),
                "browser session ended: " + sessionEnded.words,
            ]
            + (sessionEnded == .done ? [] : endSessionURL.map { ["  to end it, open " + $0.text] } ?? [])
            + (accessTokensExpire.map { [TimeSpan.tokensWork(until: $0, \.rfc3339)] } ?? [])
    }
}

extension SignOutOutcome.Part {
    var words: String {
        switch self {
        case .done: "yes"
        case .opened: "unknown: see the sign-out page in the browser"
        case .notOffered: "no: not supported by the provider"
        case .failed(let why): "no: \(why)"
        }
    }

    var json: JSONValue {
        switch self {
        case .done: JSONValue(("outcome", "done"))
        case .opened: JSONValue(("outcome", "opened"))
        case .notOffered: JSONValue(("outcome", "notOffered"))
        case .failed(let why): JSONValue(("outcome", "failed"), ("detail", why.json))
        }
    }
}
