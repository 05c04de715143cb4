/// A context for keys, by its name in the settings. `search` is typing a search, `line` typing a line.
package enum KeyContext: String, Sendable {
    case accountDetails, acquisition, activity, activityDetails, agent, agentDetails, clients, copyMenu, departure
    case dialog, doctor, doctorDetails, failureDetails, failures, filter, form, help, helpFilter, inspector, line
    case palette, paste, picker, programDetails, programs, progress, question, review, scopes, search
    case settingDetails, settings, storeDetails, stores, themes, tokenDetails
}
