import AppModel
import CommandSupport
import Explain
import Identity
import TokenCache

extension Failure {
    /// The value, or a store's error as a failure.
    @discardableResult
    static func translating<Value>(_ value: @autoclosure () throws(StoreError) -> Value) throws(Failure) -> Value {
        do throws(StoreError) { return try value() } catch { throw Failure(error) }
    }
}

extension CommandContext {
    /// - Parameter readsHidden: whether to include stores hidden by the user.
    func storesElsewhere(readsHidden: Bool) throws(Failure) -> [StoreProbe] {
        let hasSession = DefaultStore(environment).hasSession
        return try sources(try clientIfAny()).dropFirst().filter { readsHidden || !isHidden($0) }.map {
            $0.look(hasSession: hasSession)
        }
        .filter(\.isUsable)
    }

    /// The accounts in other programs' stores, each with its store.
    ///
    /// - Parameter readsHidden: whether to include stores hidden by the user.
    func accounts(in stores: [StoreProbe], readsHidden: Bool = false) -> [AccountOverview] {
        stores.filter { readsHidden || !isHidden($0.source) }.flatMap { finding in
            let source = finding.source
            let store = OtherStore(
                name: source.name, program: source.program, place: short(source.place), isWritable: source.mayWrite,
                profile: source.profile.map(short), signIn: source.signIn)
            return finding.snapshot.overviews(clientID: nil).map { overview in
                var overview = overview
                overview.store = store
                // Decoded now: two readings of these stores are compared by their content.
                overview.credentials = overview.credentials
                return overview
            }
        }
    }

    private func isHidden(_ source: StoreSource) -> Bool {
        settings.stores.first { $0.name == source.name }?.isHidden ?? false
    }

    /// Every store as the screens show it, foyer's own first.
    func storeLines() throws(Failure) -> [StoreLine] {
        let hasSession = DefaultStore(environment).hasSession
        return try sources(try clientIfAny()).enumerated().map { index, source in
            // Only foyer's own store is opened with the user's keys.
            let finding = source.look(
                keys: index == 0 ? keys : StoreKeys(), hasSession: hasSession, isCounting: true)
            var line = StoreLine(source.name)
            (line.program, line.place) = (source.program, short(source.place))
            (line.state, line.findings, line.badge) = (finding.state, finding.findings, finding.spec?.kind.badge)
            (line.accounts, line.tokens) = (finding.accountCount, finding.tokenCount)
            (line.isWritable, line.isHidden) = (source.mayWrite, isHidden(source))
            return line
        }
    }

    /// The stores that a command reads, with their names: foyer's own, with `--all-stores` each usable one.
    func readings(_ client: ClientChoice?, all: Bool) throws(Failure) -> [(name: String, snapshot: CacheSnapshot)] {
        guard all else { return [("foyer", try snapshot(client))] }
        let anyClient = try clientIfAny()
        let found = try shownFindings(client ?? anyClient)
        // An error in foyer's own store ends the command.
        let own = try snapshot(client)
        return [("foyer", own)] + found.dropFirst().filter(\.isUsable).map { ($0.source.name, $0.snapshot) }
    }

    /// Every store, with a status line while they are read: a keyring can be slow.
    func shownFindings(_ client: ClientChoice?, isCounting: Bool = false) throws(Failure) -> [StoreProbe] {
        let line = StatusLine(self)
        line?.show(after: 1, counting: "reading the stores")
        defer { line?.stop() }
        return try findings(client, isCounting: isCounting)
    }

    func readOnly(_ source: StoreSource) -> Failure {
        Failure(
            .storeError, "the store of \(source.program) is read-only for foyer; nothing was changed",
            hint: "to allow it, set in \(settings.path): [stores.\(source.name)] and write = true")
    }

    /// Removes an account from another program's store as that program would; the user has agreed.
    func remove(_ account: Account, from finding: StoreProbe) throws(Failure) -> StoreProbe.RemovedCounts {
        do throws(StoreProbe.RemovalError) {
            return try finding.remove(account, clientID: finding.owner(of: account), keys: keys)
        } catch {
            switch error {
            case .readOnly: throw readOnly(finding.source)
            case .store(let trouble): throw Failure(trouble)
            case .partly(let count, let trouble):
                var failure = Failure(trouble)
                failure.message =
                    "removed \(counted(count, "subscription")) of \(account.label) from \(finding.source.program), "
                    + "but its tokens were not removed: \(failure.message)"
                throw failure
            }
        }
    }

    func finding(_ store: String) throws(Failure) -> StoreProbe {
        guard let source = try sources(try clientIfAny()).dropFirst().first(where: { $0.name == store }) else {
            throw Failure(.notFound, "unknown store \"\(store)\"", hint: "\"foyer stores --all\" lists them")
        }
        return source.look(hasSession: DefaultStore(environment).hasSession)
    }
}
