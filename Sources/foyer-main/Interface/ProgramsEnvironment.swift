import CommandSupport

extension CommandContext {
    /// The environment for requests of programs: the user's, who is the person at the interface; in the demo its own
    /// folders, and no agent.
    var environmentOfPrograms: ProcessEnvironment {
        guard let folder = homeOfPrograms else { return environment.ofPerson }
        let (environment, config, store) = (environment, settings.path, shared.store)
        return ProcessEnvironment(workingFolder: environment.workingFolder) { name in
            switch name {
            case "FOYER_CONFIG": config
            case "FOYER_STORE": store
            case "XDG_STATE_HOME", "XDG_RUNTIME_DIR": folder
            case _ where name.hasPrefix("FOYER_"): nil
            default: environment[name]
            }
        }.ofPerson
    }
}
