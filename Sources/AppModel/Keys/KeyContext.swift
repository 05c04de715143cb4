/// A context for keys, by its name in the settings. `search` is typing a search, `line` typing a line.
package enum KeyContext: String, Sendable {
    case accountDetails, acquisition, activity, activityDetails, agent, agentDetails, copyMenu, departure, dialog
    case doctor, doctorDetails, failureDetails, failures, filter, form, help, helpFilter, inspector, line, palette
    case paste, picker, programDetails, programs, progress, question, review, scopes, search, settingDetails, settings
    case storeDetails, stores, themes, tokenDetails
}
