package import FoundationEssentials
package import Identity

/// A request of the model to the program around it. Every token request in it has ``TokenRequest/unnumbered`` as its
/// correlation ID. The program replaces it with a new one, because updates must not depend on chance.
package enum Effect: Equatable, Sendable {
    /// Reads the stores; answered by ``Message/loaded(_:)``, ``Message/storeFailed(message:hint:)`` or
    /// ``Message/storeLocked(message:hint:)``.
    case load
    /// Decides account statuses; answered by ``Message/decided(_:_:)``.
    case decide(StatusesRequest)
    case acquireSilently(TokenRequest, ClientUse, RequestID)
    case signIn(SignInRequest, RequestID)
    /// Requests a provider's metadata as the client would; answered by ``Reply/provider(_:)``. An empty client ID is
    /// unknown yet.
    case lookUpProvider(Authority, clientID: String, RequestID)
    case cancel(RequestID)
    /// The redirect URL or the code, for the waiting loopback sign-in.
    case paste(String, RequestID)
    /// The answer to ``Reply/question(_:)``.
    case answer(SignInReply, RequestID)
    case remove(Account, ClientUse, RemovalChoices, RequestID)
    case signOut(Account, ClientUse, RemovalChoices, RequestID)
    /// Undoes a removal; the result is a ``Message/notice(_:)``.
    case restore(UndoableRemoval, RequestID)
    /// Clears the entries of removed accounts from memory.
    case forgetRemovals
    /// Removes from another program's store as that program would; answered by
    /// ``Reply/removedElsewhere(entries:subscriptions:)``.
    case removeElsewhere(Account, OtherStore, RequestID)
    /// Answered by ``Reply/stores(_:)``.
    case findStores(RequestID)
    /// Saves in the settings what is allowed with another program's store, and reloads the stores.
    case keepStore(String, StoreChange, RequestID)
    /// Queries the agent's status; answered by ``Reply/agent(_:)``.
    case lookAtAgent(RequestID)
    /// Reads recent requests of programs and the rules that match now; answered by ``Reply/programs(_:)``, twice if the
    /// programs themselves are asked whether they are set up.
    case lookAtPrograms(RequestID, asksPrograms: Bool)
    /// Writes a rule to the settings file if it would still end the refusal; answered by ``Message/settingSaved(_:)``
    /// and ``Message/notice(_:)``.
    case writeRule(RuleOffer, RequestID)
    /// Undoes a change if the settings file has not changed since; the result is a ``Message/notice(_:)``.
    case undoSetting(UndoableSetting)
    /// Remembers that the user has seen the failures until then.
    case keepActivityRead(until: Date)
    /// Previews setting a program up or undoing that; answered by ``Reply/setupPreview(_:)``.
    case planSetup(String, SetupDirection, RequestID)
    /// Makes exactly the change previewed by the request `shown`; answered by ``Reply/setupResult(_:)``.
    case carryOutSetup(shown: RequestID, RequestID)
    /// Answered by ``Message/notice(_:)``.
    case orderAgent(AgentOrder)
    case openBrowser(WebAddress)
    /// Codes, URLs and claims; never a token.
    case copy(String)
    /// A token, only because the user pressed the key for it.
    case copySecret(Secret)
    case clearClipboard
    /// Fetches the issuer's keys; answered by ``Reply/verified(_:)``, which reports a host that is neither configured
    /// nor `mayAsk`.
    case verify(CachedCredential, mayAsk: String?, RequestID)
    /// Reads the entry of a token; answered by ``Reply/entry(_:)``.
    ///
    /// `store` is the name of another program's store; nil for foyer's own.
    case readEntry(CachedCredential, store: String?, RequestID)
    /// Writes a new file with mode 0600; never overwrites. Answered by ``Message/notice(_:)``.
    case export(String, toFile: String)
    /// Checks settings, store, terminal, browser, network and clock; answered by ``Reply/examination(_:)``.
    case examine(RequestID)
    /// Draws with a theme, without saving it.
    case showTheme(String)
    case keepTheme(String)
    /// Saves a setting; answered by ``Message/settings(_:defaultClient:)``.
    case keepSetting(String, SettingValue)
    /// Saves a client in the settings, so its accounts can be used again; answered by ``Message/clients(_:)``.
    case keepClient(ConfiguredClient)
    /// Handles clicks and the wheel, or leaves them to the terminal.
    case mouse(Bool)
    case redraw, suspend, quit
    case openDemo
}

extension Effect {
    var begins: RequestID? {
        switch self {
        case .acquireSilently(_, _, let id), .signIn(_, let id), .lookUpProvider(_, _, let id),
            .remove(_, _, _, let id), .signOut(_, _, _, let id), .removeElsewhere(_, _, let id),
            .restore(_, let id), .findStores(let id), .keepStore(_, _, let id), .verify(_, _, let id),
            .readEntry(_, _, let id), .examine(let id), .lookAtAgent(let id),
            .lookAtPrograms(let id, _), .writeRule(_, let id), .planSetup(_, _, let id),
            .carryOutSetup(_, let id):
            id
        case .load, .decide, .cancel, .forgetRemovals, .paste, .answer, .orderAgent, .openBrowser, .copy, .copySecret,
            .clearClipboard,
            .export, .undoSetting, .keepActivityRead, .showTheme, .keepTheme, .keepSetting, .keepClient,
            .mouse, .redraw,
            .suspend, .quit,
            .openDemo:
            nil
        }
    }
}

extension TokenRequest {
    package static let unnumbered = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
