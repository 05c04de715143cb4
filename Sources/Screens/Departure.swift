import FoundationEssentials
import Identity
import Terminal

/// The two ways in which an account leaves, told apart in words wherever they are offered.
enum DepartureKind: Equatable, Sendable { case remove, signOut }

/// Asks before an account leaves. The safe answer is the one that is marked.
struct Dialog: Equatable, Sendable {
    let kind: DepartureKind
    let account: Account
    /// The clients that hold something of the account; one of them loses it.
    let clients: [String]
    var clientID: String
    var choices = DepartureChoices()
    var isConfirmFocused = false
    var scroll = 0
    /// When the last access token of this client that is out already ends.
    var accessTokensDieAt: Date?
    var refreshTokens = 0
    /// The other program's store that it leaves; nil for foyer's own.
    var store: OtherStore?
}

/// What became of it, in three parts.
struct Departure: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case waiting
        case removed(Int)
        case removedElsewhere(entries: Int, subscriptions: Int)
        case signedOut(SignOutOutcome)
        case failed(Failure)
    }

    let kind: DepartureKind
    let account: Account
    let clientID: String
    let choices: DepartureChoices
    let flight: FlightID
    let accessTokensDieAt: Date?
    let store: OtherStore?
    private(set) var phase = Phase.waiting
    private(set) var steps: [Step] = []
    var scroll = 0
    /// Given up while it was under way: what had been done by then comes yet.
    var isGivenUp = false

    init(_ dialog: Dialog, flight: FlightID) {
        kind = dialog.kind
        account = dialog.account
        clientID = dialog.clientID
        choices = dialog.choices
        accessTokensDieAt = dialog.accessTokensDieAt
        store = dialog.store
        self.flight = flight
    }

    var isWaiting: Bool { phase == .waiting }

    /// The page to open by hand, when it could not be opened.
    var endSessionPage: WebAddress? {
        guard case .signedOut(let outcome) = phase, case .failed = outcome.sessionEnded else { return nil }
        return outcome.endSessionURLWithHint.flatMap { try? WebAddress($0.reveal()) } ?? outcome.endSessionURL
    }

    mutating func land(_ message: Message) -> [Effect] {
        switch message {
        case .step(let step, _):
            if steps.count < 200 { steps.append(step) }
            return []
        case .removed(let count, _): phase = .removed(count)
        case .removedElsewhere(let entries, let subscriptions, _):
            phase = .removedElsewhere(entries: entries, subscriptions: subscriptions)
        case .signedOut(let outcome, _): phase = .signedOut(outcome)
        case .failed(let failure, _): phase = .failed(failure)
        case .key, .resized, .tick, .loaded, .storeFailed, .notice, .signIn, .acquired, .verified, .entry, .examination,
            .flight, .settings,
            .stores, .question:
            return []
        }
        return [.load]
    }
}

extension State {
    /// Opens the dialog; what was typed ahead must not answer it.
    mutating func ask(_ kind: DepartureKind) -> [Effect] {
        guard let overview = selectedAccount else { return [] }
        if let other = overview.store {
            guard other.isWritable else {
                notice = "\(other.program)'s store is only read: W lists the stores, and w there allows changing one"
                return []
            }
            let ends = overview.credentials.filter { $0.kind == .accessToken }.compactMap(\.expiresOn).filter {
                $0 > now
            }
            stack.append(
                .dialog(
                    Dialog(
                        kind: kind, account: overview.account, clients: [], clientID: "", accessTokensDieAt: ends.max(),
                        store: other)))
            return [.flushInput]
        }
        guard let clientID = client(for: overview.account) else { return [] }
        stack.append(.dialog(dialog(kind, overview, clientID: clientID)))
        return [.flushInput]
    }

    private func dialog(_ kind: DepartureKind, _ overview: AccountOverview, clientID: String) -> Dialog {
        let mine = overview.credentials.filter { $0.clientID == clientID }
        let ends = mine.filter { $0.kind == .accessToken }.compactMap(\.expiresOn).filter { $0 > now }
        return Dialog(
            kind: kind, account: overview.account, clients: overview.account.clients, clientID: clientID,
            accessTokensDieAt: ends.max(),
            refreshTokens: mine.count { $0.kind == .refreshToken })
    }

    mutating func perform(_ command: Command, _ given: Dialog) -> [Effect] {
        var asked = given
        switch command {
        case .moveButton: asked.isConfirmFocused.toggle()
        case .cycleClient:
            guard let overview = overview(of: AccountOverview.ID(asked.account.id)), !asked.clients.isEmpty else {
                return []
            }
            let index = asked.clients.firstIndex(of: asked.clientID).map { $0 + 1 } ?? 0
            let choices = asked.choices
            asked = dialog(asked.kind, overview, clientID: asked.clients[index % asked.clients.count])
            asked.choices = choices
        case .toggleWipe: asked.choices.wipes.toggle()
        case .toggleAccessTokens where asked.kind == .signOut: asked.choices.revokesAccessTokens.toggle()
        case .toggleSession where asked.kind == .signOut: asked.choices.endsBrowserSession.toggle()
        case .yes: return leave(asked)
        case .open where asked.isConfirmFocused: return leave(asked)
        case .open, .no:
            stack.removeLast()
            return []
        default:
            scroll(command)
            return []
        }
        replaceTop(.dialog(asked))
        return []
    }

    private mutating func leave(_ asked: Dialog) -> [Effect] {
        let flight = newFlight()
        replaceTop(.departure(Departure(asked, flight: flight)))
        if let store = asked.store { return [.removeElsewhere(asked.account, store, flight)] }
        switch asked.kind {
        case .remove: return [.remove(asked.account, clientID: asked.clientID, asked.choices, flight)]
        case .signOut: return [.signOut(asked.account, clientID: asked.clientID, asked.choices, flight)]
        }
    }

    mutating func perform(_ command: Command, _ departure: Departure) -> [Effect] {
        switch command {
        case .openBrowser: return departure.endSessionPage.map { [.openBrowser($0)] } ?? []
        default:
            scroll(command)
            return []
        }
    }
}
