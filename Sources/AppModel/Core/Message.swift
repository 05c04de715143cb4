package import Explain
package import FoundationEssentials
package import Identity
package import Keys

/// A message to the model: a general event, or the reply to one request.
package enum Message: Equatable, Sendable {
    case key(Key)
    /// An offered command, however the user chose it.
    case command(Command)
    /// A row, entry, field or answer, counted from zero, that was clicked or chosen by number.
    case select(Int)
    case fill(Int, String)
    /// The face shows more or fewer rows than before.
    case resized
    /// The time, about once a second.
    case tick(Date)
    case loaded(AccountList)
    case storeFailed(message: String, hint: String?)
    /// The store was locked, by any program: nothing of it stays on the screen or in memory.
    case storeLocked(message: String, hint: String?)
    case decided(StatusesRequest, [RowStatus])
    case settings([SettingLine], defaultClient: String?)
    case clients([ConfiguredClient])
    /// A line for the user: the result of an effect that is not a request.
    case notice(String)
    /// IDs of the agent's pending requests.
    case waiting([String])
    /// The recorded requests of programs, without rules and explanations.
    case programUses([ProgramsReport.Program])
    case agentUses([AgentReport.Use])
    /// The failures that the user saw before this session: those until then.
    case activityRead(until: Date)
    /// Programs have requested tokens, or their rules have changed.
    case programsChanged
    /// A rule or a setting was saved and can be undone.
    case settingSaved(UndoableSetting)
    /// A removal can be undone.
    case undoable(UndoableRemoval)
    case reply(Reply, RequestID)
}

/// The replies to a request, in order of arrival.
package enum Reply: Equatable, Sendable {
    /// The request has started, with its correlation ID if it has one.
    case began(at: Date, correlationID: UUID?)
    case step(Step)
    case signIn(SignInEvent)
    /// A question of a sign-in without a browser; answered by ``Effect/answer(_:_:)``.
    case question(SignInQuestion)
    case provider(ProviderSupport)
    case acquired(AcquiredToken)
    case failed(Failure)
    case removed(Int)
    /// The number of entries removed from another program's store, and of subscriptions from that program's profile.
    case removedElsewhere(entries: Int, subscriptions: Int)
    case signedOut(SignOutOutcome)
    case verified(Verification)
    /// The entry of a token, its secrets masked.
    case entry(String)
    case examination(DoctorEvent)
    case stores([StoreLine])
    case agent(AgentReport)
    case programs(ProgramsReport)
    case setupPreview(SetupPreview)
    case setupResult(SetupResult)
    /// The request has ended, whatever its result; the store may have changed.
    case ended(milliseconds: Int)
}
