package import FoundationEssentials
package import Identity
package import Terminal

/// One thing that was asked for and has not been answered yet. Numbers are never used twice, so a late answer is known
/// as such.
package struct FlightID: Hashable, Sendable {
    package let number: Int
    package init(_ number: Int) { self.number = number }
}

/// What the screens are told.
package enum Message: Equatable, Sendable {
    case key(Key)
    case resized(Size)
    /// The time, about once a second.
    case tick(Date)
    case loaded(Roster)
    case storeFailed(message: String, hint: String?)
    /// A line for the person: what an effect without a flight came to.
    case notice(String)
    case step(Step, FlightID)
    case signIn(SignInEvent, FlightID)
    case acquired(AcquiredToken, FlightID)
    case failed(Failure, FlightID)
    /// How many entries an account's removal took from the store.
    case removed(Int, FlightID)
    case signedOut(SignOutOutcome, FlightID)
    /// What a look at the signature of this very token found: another one may take its place under the same key.
    case verified(Secret, Verification)
    /// The entry behind the token with this key, its secrets masked.
    case entry(String, String)
    /// The settings as they are after one was written.
    case settings([SettingLine], defaultClient: String?)
    /// What a sign-in without a browser asks; answered by ``Effect/answer(_:_:)``.
    case question(SignInQuestion, FlightID)
    /// When what was asked for began and how long it took.
    case flight(FlightEvent, FlightID)
    /// How the examination of the doctor's screen goes on.
    case examination(DiagnosticsEvent, FlightID)
    /// What a look at every store found.
    case stores([StoreLine], FlightID)
    /// What an account's removal took from another program's store, and from the profile that the program keeps beside
    /// it.
    case removedElsewhere(entries: Int, subscriptions: Int, FlightID)
}

/// What the screens ask for. Every request in here carries ``TokenRequest/unnumbered`` as its correlation identifier:
/// who carries the effect out gives it a fresh one, as chance has no place in `update`.
package enum Effect: Equatable, Sendable {
    case load
    case acquireSilently(TokenRequest, clientID: String, FlightID)
    case signIn(SignInWish, FlightID)
    case cancel(FlightID)
    /// The redirect address or the code, for the loopback sign-in that waits.
    case paste(String, FlightID)
    /// The answer to ``Message/question(_:_:)``.
    case answer(SignInReply, FlightID)
    case remove(Account, clientID: String, DepartureChoices, FlightID)
    case signOut(Account, clientID: String, DepartureChoices, FlightID)
    /// From another program's store, as that program would do it; answered by
    /// ``Message/removedElsewhere(entries:subscriptions:_:)``.
    case removeElsewhere(Account, OtherStore, FlightID)
    /// Answered by ``Message/stores(_:_:)``.
    case lookForStores(FlightID)
    /// Writes what is allowed with another program's store into the settings, and looks again.
    case keepStore(String, StoreChange, FlightID)
    case openBrowser(WebAddress)
    /// Codes, addresses and what a token says; never a token.
    case copy(String)
    /// A token, because the person pressed the key for exactly that.
    case copySecret(Secret)
    /// Takes a token off the clipboard again.
    case clearClipboard
    /// Fetches the issuer's keys; the answer comes as ``Message/verified(_:_:)``.
    case verify(CachedCredential)
    /// Reads the entry behind a token; the answer comes as ``Message/entry(_:_:)``.
    ///
    /// The store is another program's by its name, nil is foyer's own.
    case readEntry(CachedCredential, store: String?)
    /// Writes a new file for its owner alone; an existing one is left as it is. Told by ``Message/notice(_:)``.
    case export(String, toFile: String)
    /// Looks at settings, store, terminal, browser, network and clock; told by ``Message/examination(_:_:)``.
    case examine(FlightID)
    /// Throws away what was typed ahead.
    case flushInput
    /// Draws with a theme, without keeping it.
    case showTheme(String)
    /// Writes the theme into the settings.
    case keepTheme(String)
    /// Writes a setting into the file; answered by ``Message/settings(_:defaultClient:)``.
    case keepSetting(String, SettingValue)
    /// Takes clicks and the wheel, or leaves them to the terminal.
    case mouse(Bool)
    case redraw, suspend, quit
}

/// How far an account leaves, as the person has chosen in the dialog.
package struct DepartureChoices: Hashable, Sendable {
    /// From every client, with all that is noted of the account.
    package var wipes = false
    /// Access tokens that are out are revoked one by one as well; only at a sign-out.
    package var revokesAccessTokens = false
    /// Only at a sign-out.
    package var endsBrowserSession = true

    package init(wipes: Bool = false, revokesAccessTokens: Bool = false, endsBrowserSession: Bool = true) {
        self.wipes = wipes
        self.revokesAccessTokens = revokesAccessTokens
        self.endsBrowserSession = endsBrowserSession
    }
}

/// What is known of a token's signature; never left unsaid.
package enum Verification: Equatable, Sendable {
    case checking
    case right(key: String)
    case wrong(String)
    /// The issuer means it to be read by its resource alone.
    case notVerifiable(String)
    /// Nothing was found out.
    case failed(String)
}

/// A sign-in as the form describes it.
package struct SignInWish: Equatable, Sendable {
    package var clientID: String
    /// With authority, tenant, method, prompt, login hint and claims in it.
    package var request: TokenRequest

    package init(clientID: String, request: TokenRequest) {
        self.clientID = clientID
        self.request = request
    }

    /// The authority's address; empty when it is the client's own.
    package var authority: String { request.authority?.address.text ?? "" }
    package var tenant: String? { request.tenant }
}

extension TokenRequest {
    /// Stands where the correlation identifier will be.
    package static let unnumbered = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
