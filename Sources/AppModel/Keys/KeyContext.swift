/// A context for keys, by its name in the settings.
package struct KeyContext: Hashable, Sendable {
    package let rawValue: String

    package init(_ rawValue: String) { self.rawValue = rawValue }

    /// Typing a search.
    package static let search = KeyContext("search")
    /// Typing a line.
    package static let line = KeyContext("line")
}

extension KeyContext {
    package static let accountDetails = KeyContext("accountDetails")
    package static let acquisition = KeyContext("acquisition")
    package static let activity = KeyContext("activity")
    package static let activityDetails = KeyContext("activityDetails")
    package static let agent = KeyContext("agent")
    package static let agentDetails = KeyContext("agentDetails")
    package static let copyMenu = KeyContext("copyMenu")
    package static let departure = KeyContext("departure")
    package static let dialog = KeyContext("dialog")
    package static let doctor = KeyContext("doctor")
    package static let doctorDetails = KeyContext("doctorDetails")
    package static let filter = KeyContext("filter")
    package static let form = KeyContext("form")
    package static let help = KeyContext("help")
    package static let inspector = KeyContext("inspector")
    package static let palette = KeyContext("palette")
    package static let paste = KeyContext("paste")
    package static let picker = KeyContext("picker")
    package static let programDetails = KeyContext("programDetails")
    package static let programs = KeyContext("programs")
    package static let progress = KeyContext("progress")
    package static let question = KeyContext("question")
    package static let review = KeyContext("review")
    package static let scopes = KeyContext("scopes")
    package static let settings = KeyContext("settings")
    package static let settingDetails = KeyContext("settingDetails")
    package static let storeDetails = KeyContext("storeDetails")
    package static let stores = KeyContext("stores")
    package static let themes = KeyContext("themes")
    package static let tokenDetails = KeyContext("tokenDetails")
}
