package import FoundationEssentials
package import Identity

/// What is asked of the program that shows the model. Every request in here carries ``TokenRequest/unnumbered`` as its
/// correlation identifier: who carries the effect out gives it a fresh one, as chance has no place in an update.
package enum Effect: Equatable, Sendable {
    /// Reads the stores; answered by ``Message/loaded(_:)`` or ``Message/storeFailed(message:hint:)``.
    case load
    /// Decides how accounts stand; answered by ``Message/decided(_:_:)``.
    case decide(StandingsRequest)
    case acquireSilently(TokenRequest, clientID: String, RequestID)
    case signIn(SignInRequest, RequestID)
    case cancel(RequestID)
    /// The redirect address or the code, for the loopback sign-in that waits.
    case paste(String, RequestID)
    /// The answer to ``Reply/question(_:)``.
    case answer(SignInReply, RequestID)
    case remove(Account, clientID: String, RemovalChoices, RequestID)
    case signOut(Account, clientID: String, RemovalChoices, RequestID)
    /// From another program's store, as that program would do it; answered by
    /// ``Reply/removedElsewhere(entries:subscriptions:)``.
    case removeElsewhere(Account, OtherStore, RequestID)
    /// Answered by ``Reply/stores(_:)``.
    case lookForStores(RequestID)
    /// Writes what is allowed with another program's store into the settings, and looks again.
    case keepStore(String, StoreChange, RequestID)
    /// Asks the agent what it does; answered by ``Reply/agent(_:)``.
    case lookAtAgent(RequestID)
    /// Reads what programs were given lately, and which rules fit now; answered by ``Reply/programs(_:)``.
    case lookAtPrograms(RequestID)
    /// Works out what setting a program up, or taking that back, would change; answered by ``Reply/setupPreview(_:)``.
    case planSetup(String, SetupDirection, RequestID)
    /// Makes exactly the change that the request `shown` has worked out; answered by ``Reply/setupResult(_:)``.
    case carryOutSetup(shown: RequestID, RequestID)
    /// Told by ``Message/notice(_:)``.
    case orderAgent(AgentOrder)
    case openBrowser(WebAddress)
    /// Codes, addresses and what a token says; never a token.
    case copy(String)
    /// A token, because the person pressed the key for exactly that.
    case copySecret(Secret)
    /// Takes a token off the clipboard again.
    case clearClipboard
    /// Fetches the issuer's keys; answered by ``Reply/verified(_:)``, which says so when the host is not configured and
    /// is not the one that may be asked.
    case verify(CachedCredential, mayAsk: String?, RequestID)
    /// Reads the entry behind a token; answered by ``Reply/entry(_:)``.
    ///
    /// The store is another program's by its name, nil is foyer's own.
    case readEntry(CachedCredential, store: String?, RequestID)
    /// Writes a new file for its owner alone; an existing one is left as it is. Told by ``Message/notice(_:)``.
    case export(String, toFile: String)
    /// Looks at settings, store, terminal, browser, network and clock; answered by ``Reply/examination(_:)``.
    case examine(RequestID)
    /// Throws away what was typed ahead.
    case flushInput
    /// Draws with a theme, without keeping it.
    case showTheme(String)
    /// Writes the theme into the settings.
    case keepTheme(String)
    /// Writes a setting into the file; answered by ``Message/settings(_:defaultClient:)``.
    case keepSetting(String, SettingValue)
    /// Writes a client into the settings, so that its accounts can be used again; answered by ``Message/clients(_:)``.
    case keepClient(ConfiguredClient)
    /// Takes clicks and the wheel, or leaves them to the terminal.
    case mouse(Bool)
    case redraw, suspend, quit
    /// Ends the interface; the demo takes its place.
    case openDemo
}

extension Effect {
    /// The request that it begins.
    var begins: RequestID? {
        switch self {
        case .acquireSilently(_, _, let id), .signIn(_, let id), .remove(_, _, _, let id), .signOut(_, _, _, let id),
            .removeElsewhere(_, _, let id), .lookForStores(let id), .keepStore(_, _, let id), .verify(_, _, let id),
            .readEntry(_, _, let id), .examine(let id), .lookAtAgent(let id),
            .lookAtPrograms(let id), .planSetup(_, _, let id), .carryOutSetup(_, let id):
            id
        case .load, .decide, .cancel, .paste, .answer, .orderAgent, .openBrowser, .copy, .copySecret, .clearClipboard,
            .export,
            .flushInput,
            .showTheme,
            .keepTheme, .keepSetting, .keepClient, .mouse, .redraw, .suspend, .quit, .openDemo:
            nil
        }
    }
}

extension TokenRequest {
    /// Stands where the correlation identifier will be.
    package static let unnumbered = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
