import CommandSupport
package import Identity
import StrictJSON

extension Setup {
    /// The changes to make; empty if all is set up. Throws `configuration` if another program's files are in the way.
    package func plan(_ wish: Wish) throws(Failure) -> SetupPlan {
        guard foyer.split(separator: "/").last == "foyer" else {
            throw Failure(.configuration, "link target not found: \(foyer)", hint: "reinstall foyer")
        }
        var plan = SetupPlan(program: wish.program)
        try addLinks(to: &plan)
        switch wish.program {
        case .git: try addGit(to: &plan)
        case .docker: try addDocker(wish.registries, to: &plan)
        case .kubectl: try addKubectl(wish.user, wish.arguments, to: &plan)
        case .az:
            guard other("az") == nil else { break }
            plan.notes.append("Azure CLI not found on PATH: only \"az account get-access-token\" will work")
        case .pip: plan.notes.append("pip uses it with --keyring-provider subprocess")
        case .uv: plan.notes.append("uv uses it with --keyring-provider subprocess")
        }
        return plan
    }

    private func addLinks(to plan: inout SetupPlan) throws(Failure) {
        let names = names(of: plan.program)
        guard !names.isEmpty else { throw Failure(.usage, "this foyer has no helper for \(plan.program.name)") }
        for (index, name) in names.enumerated() {
            let link = link(name)
            switch link.place {
            // Already linked elsewhere, by a package or manually.
            case .free where found(name) == .foyer: continue
            case .free: plan.links.append(.init(path: link.path, before: nil, after: foyer))
            case .stale(let text): plan.links.append(.init(path: link.path, before: text, after: foyer))
            case .ours: plan.sharedLinks.append(link)
            case .foreign where index == 0:
                throw Failure(
                    .configuration, "\(link.path) belongs to another program",
                    hint: "move it elsewhere, or skip this setup")
            case .foreign:
                plan.warnings.append("\(link.path) belongs to another program, kept: \(name) is not linked")
                continue
            }
            if let trouble = trouble(with: name), !plan.warnings.contains(trouble) { plan.warnings.append(trouble) }
        }
    }

    private func addGit(to plan: inout SetupPlan) throws(Failure) {
        guard let git = GitConfiguration(environment) else { throw Self.isMissing("git") }
        let missing = try git.missing()
        let others = try git.values(GitConfiguration.settings[0].key).filter {
            !$0.isEmpty && !GitConfiguration.isOurs($0)
        }
        if !others.isEmpty {
            plan.notes.append(
                "git also uses these helpers, in this order: "
                    + others.map { $0.split(separator: " ").first.map(String.init) ?? "" }.joined(separator: ", "))
        }
        for rewrite in GitRemotes(environment)?.sshRewrites ?? [] {
            plan.notes.append("left unchanged: git uses SSH for \(rewrite.url), without foyer (\(rewrite.words))")
        }
        guard !missing.isEmpty else { return }
        let file = try SetupFile(at: git.path)
        let after = try git.added(missing, to: file.bytes)
        plan.files.append(.init(file, to: after, own: missing.map(\.key), known: GitConfiguration.lines))
        plan.commands = missing.map(GitConfiguration.command)
    }

    private func addDocker(_ names: [String], to plan: inout SetupPlan) throws(Failure) {
        var registries: [String] = []
        for name in names {
            guard let registry = ContainerRegistry(name) else {
                throw Failure(.usage, "\(name) is not a registry", hint: "give its host, such as contoso.azurecr.io")
            }
            if !registries.contains(registry.host) { registries.append(registry.host) }
        }
        let file = try SetupFile(at: DockerConfiguration.path(environment))
        guard !registries.isEmpty else {
            if DockerConfiguration.served(file.bytes ?? []).isEmpty {
                plan.notes.append("list the registries: foyer setup docker contoso.azurecr.io")
            }
            return
        }
        guard let change = try DockerConfiguration.added(registries, to: file.bytes, path: file.path) else { return }
        plan.files.append(.init(file, to: change.bytes, own: change.own, known: change.inserted, isLocked: false))
    }

    static func isMissing(_ name: String) -> Failure {
        Failure(.notFound, "\(name) is not on PATH", hint: .text("install \(name), or add its folder to PATH"))
    }
}
