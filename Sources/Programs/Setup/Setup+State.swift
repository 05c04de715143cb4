import Identity

extension Setup {
    package func states() -> [ProgramState] { programs.map(state) }

    package func state(_ program: SetupProgram) -> ProgramState {
        let names = names(of: program)
        var linked: [String] = []
        var troubles: [String] = []
        var isOvershadowed = false
        for name in names {
            switch (found(name), link(name).place) {
            case (.foyer, _): linked.append(name)
            case (.other(let path), .ours):
                isOvershadowed = true
                troubles.append("\(path) comes before \(linkFolder)/\(name) on PATH")
            case (.nothing, .ours): troubles.append("\(linkFolder) is not on PATH")
            case (_, .stale(let text)): troubles.append("\(linkFolder)/\(name) points to \(text)")
            default: if name == names.first { troubles.append("\(name) is not on PATH") }
            }
        }
        let hasLink = !linked.isEmpty || names.contains { link($0).place == .ours }
        let isLinked = names.first.map(linked.contains) ?? false
        let (configured, detail) = configuration(program)
        let details = (Array(Set(troubles)).sorted() + [detail]).filter { !$0.isEmpty }.joined(separator: "; ")
        let state: ProgramState.State =
            if isOvershadowed {
                .overshadowed
            } else if isLinked, configured != false, troubles.isEmpty {
                .setUp
            } else if hasLink || configured == true {
                .half
            } else {
                .notSetUp
            }
        return ProgramState(name: program.name, state: state, detail: state == .notSetUp ? "" : details)
    }

    /// Whether the program's main helper name resolves to foyer first on `PATH`.
    package func isFirstOnPath(_ program: SetupProgram) -> Bool {
        names(of: program).first.map { found($0) == .foyer } ?? false
    }

    /// Whether the program's configuration names foyer, with a detail; nil for a program that needs no configuration.
    private func configuration(_ program: SetupProgram) -> (Bool?, String) {
        switch program {
        case .git:
            guard let git = GitConfiguration(environment) else { return (nil, "git not found on PATH") }
            do throws(Failure) {
                let isThere = try git.values(GitConfiguration.settings[0].key).contains(where: GitConfiguration.isOurs)
                return (isThere, isThere ? "" : "git has no credential.helper foyer")
            } catch { return (false, error.message) }
        case .docker:
            do throws(Failure) {
                let file = try SetupFile(at: DockerConfiguration.path(environment))
                let served = DockerConfiguration.served(file.bytes ?? [])
                let names = served.prefix(5).joined(separator: ", ") + (served.count > 5 ? " …" : "")
                return served.isEmpty ? (false, "\(file.path) has no registry for it") : (true, names)
            } catch { return (false, error.message) }
        case .kubectl, .az, .pip, .uv: return (nil, "")
        }
    }
}
