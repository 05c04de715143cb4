package import Explain
package import FoundationEssentials
package import Identity
package import Keys

/// A message to the model: an event that concerns all of it, or the reply to one request.
package enum Message: Equatable, Sendable {
    case key(Key)
    /// A command of those that are offered now, however the person has chosen it.
    case command(Command)
    /// A row, an entry, a field or an answer, counted from zero, because it was clicked or chosen by its number.
    case select(Int)
    /// A text for the field with this number.
    case fill(Int, String)
    /// The face shows more or less at once than before.
    case resized
    /// The time, about once a second.
    case tick(Date)
    case loaded(AccountList)
    case storeFailed(message: String, hint: String?)
    case decided(StandingsRequest, [AccountStatus])
    /// The settings as they are after one was written.
    case settings([SettingLine], defaultClient: String?)
    /// The clients as they are after one was written.
    case clients([ConfiguredClient])
    /// A line for the person: what an effect that is no request came to.
    case notice(String)
    /// The questions that wait for the person at the agent, by their identifiers.
    case waiting([String])
    case reply(Reply, RequestID)
}

/// The replies to a request, in the order in which they arrive.
package enum Reply: Equatable, Sendable {
    /// It is being carried out, under this correlation identifier where it has one.
    case began(at: Date, correlationID: UUID?)
    case step(Step)
    case signIn(SignInEvent)
    /// What a sign-in without a browser asks; answered by ``Effect/answer(_:_:)``.
    case question(SignInQuestion)
    case acquired(AcquiredToken)
    case failed(Failure)
    /// How many entries an account's removal took from the store.
    case removed(Int)
    /// What an account's removal took from another program's store, and from the profile that the program keeps beside
    /// it.
    case removedElsewhere(entries: Int, subscriptions: Int)
    case signedOut(SignOutOutcome)
    /// What a look at a token's signature found.
    case verified(Verification)
    /// The entry behind a token, its secrets masked.
    case entry(String)
    case examination(DoctorEvent)
    /// What a look at every store found.
    case stores([StoreLine])
    case agent(AgentReport)
    case programs(ProgramsReport)
    case setupPreview(SetupPreview)
    case setupResult(SetupResult)
    /// The request has ended, whatever its result, and the store may have changed.
    case ended(milliseconds: Int)
}
