import CommandSupport
import Identity
package import StrictJSON
import TokenCache

package struct SetupCheck: Hashable, Sendable {
    package var isGood: Bool
    package var detail: String

    package var json: JSONValue { JSONValue(("good", .bool(isGood)), ("detail", detail.json)) }
}

extension Setup {
    /// Checks with the program itself, without any sign-in; of a helper, only the version is queried.
    package func check(_ wish: Wish) -> [SetupCheck] {
        var checks = names(of: wish.program).compactMap { name -> SetupCheck? in
            let link = link(name)
            if case .foreign = link.place { return nil }
            if let trouble = trouble(with: name) { return SetupCheck(isGood: false, detail: trouble) }
            let place = environment.program(name) ?? link.path
            let isFound = HelperLink.leadsToFoyer(place)
            return SetupCheck(isGood: isFound, detail: "\(name) is \(isFound ? "" : "not ")found at \(place)")
        }
        switch wish.program {
        case .git:
            checks.append(answer("git-credential-foyer", "capability", "version 0"))
            do throws(Failure) {
                let missing = try GitConfiguration(environment)?.missing() ?? GitConfiguration.settings
                checks +=
                    missing.isEmpty
                    ? [SetupCheck(isGood: true, detail: "git config --get-all credential.helper has foyer")]
                    : missing.map { SetupCheck(isGood: false, detail: "\($0.key) is not set in git config") }
            } catch { checks.append(SetupCheck(isGood: false, detail: error.message)) }
        case .docker:
            checks.append(answer("docker-credential-foyer", "version", "docker-credential-foyer "))
            let bytes = try? SetupFile(at: DockerConfiguration.path(environment)).bytes
            let served = DockerConfiguration.served((bytes ?? nil) ?? [])
            checks += wish.registries.compactMap { ContainerRegistry($0)?.host }.map {
                SetupCheck(
                    isGood: served.contains($0),
                    detail: served.contains($0) ? "credHelpers has \($0)" : "credHelpers has no \($0)")
            }
        case .kubectl:
            guard let kubeconfig = Kubeconfig(environment) else {
                checks.append(SetupCheck(isGood: true, detail: "kubectl not found on PATH"))
                break
            }
            let runs = kubeconfig.isRunning()
            checks.append(SetupCheck(isGood: runs, detail: "kubectl version --client \(runs ? "works" : "fails")"))
            if let name = wish.user { checks.append(check(name, kubeconfig)) }
        case .az, .pip, .uv: break
        }
        return checks
    }

    private func check(_ user: String, _ kubeconfig: Kubeconfig) -> SetupCheck {
        do throws(Failure) {
            let bytes = try SetupFile(at: kubeconfig.path()).bytes ?? []
            let isThere = try kubeconfig.user(user, in: bytes)?.isOurs ?? false
            return SetupCheck(
                isGood: isThere, detail: "kubectl config view \(isThere ? "has" : "does not have") the user \(user)")
        } catch { return SetupCheck(isGood: false, detail: error.message) }
    }

    /// Runs the link itself, with a command that needs no account.
    private func answer(_ name: String, _ verb: String, _ beginning: String) -> SetupCheck {
        let end = ChildProcess.run(
            environment.program(name) ?? link(name).path, [verb], input: [], mostOutput: 65_536, limit: .seconds(10))
        guard case .exited(0, let output) = end, output.starts(with: beginning.utf8) else {
            return SetupCheck(isGood: false, detail: "\(name) \(verb) does not respond")
        }
        return SetupCheck(isGood: true, detail: "\(name) \(verb) responds")
    }
}
