package import CommandSupport
package import Identity

/// The credential helpers, by the command that runs them: `foyer helper NAME`.
package enum HelperName: String, CaseIterable, Sendable {
    case git, docker, az, azd, kubectl, kubelogin, keyring, google
    case oidcLogin = "oidc-login"

    /// The program name that runs it, as a link to foyer; nil if other programs run the command itself.
    private var link: String? {
        switch self {
        case .git: "git-credential-foyer"
        case .docker: "docker-credential-foyer"
        case .kubectl: "kubectl-foyer"
        case .oidcLogin: "kubectl-oidc_login"
        case .az, .azd, .kubelogin, .keyring: rawValue
        case .google: nil
        }
    }

    private static func called(by arguments: [String]) -> HelperName? {
        guard let name = arguments.first?.utf8.split(separator: UInt8(ascii: "/")).last.map({ String($0) ?? "" }),
            name != Product.name
        else { return nil }
        return allCases.first { $0.link == name }
    }

    /// - Returns: the equivalent arguments, without the program's name.
    package static func resolved(_ arguments: [String]) -> [String] {
        (called(by: arguments).map { ["helper", $0.rawValue] } ?? []) + arguments.dropFirst()
    }

    package static func isLink(_ arguments: [String]) -> Bool { called(by: arguments) != nil }

    /// The request of a command line `helper NAME …`.
    ///
    /// - Parameter input: reads standard input, up to one byte more than its argument.
    /// - Returns: nil if foyer-main has to read it.
    package static func request(
        _ arguments: [String], _ environment: ProcessEnvironment, input: (Int) -> [UInt8]
    ) throws(Failure) -> HelperRequest? {
        guard arguments.first == "helper", arguments.count >= 2, let name = HelperName(rawValue: arguments[1]) else {
            return nil
        }
        let words = Array(arguments.dropFirst(2))
        switch name {
        case .git:
            guard let words = CommandWords(words[...], GitCredential.accepted), words.arguments == ["get"] else {
                return nil
            }
            let credential = try GitCredential(input(GitCredential.longest))
            return credential.address() == nil ? nil : .git(credential, try words.options.checked(), environment)
        case .kubectl:
            guard let words = CommandWords(words[...], HelperRequest.kubectlWords) else { return nil }
            let isIDToken = words.has(HelperRequest.idToken)
            return try .kubectl(words.options.checked(), isIDToken: isIDToken, environment)
        case .kubelogin: return try .kubelogin(words, environment)
        case .oidcLogin: return try .oidcLogin(words, environment)
        case .keyring: return .keyring(words, environment)
        case .az: return .az(words, environment)
        case .azd: return .azd(words, environment)
        // One exchanges the token for another, the other also writes a file.
        case .docker, .google: return nil
        }
    }
}
