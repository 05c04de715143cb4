import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Helpers
import Identity
import Programs
import StrictJSON
import TokenCache

/// `docker-credential-foyer`: the protocol of docker's credential helpers.
struct DockerHelper: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docker", abstract: "Credential helper for Docker (run as docker-credential-foyer)",
        discussion: """
            Set in ~/.docker/config.json: "credHelpers": {"contoso.azurecr.io": "foyer"}. Serves Azure registries and \
            those that a rule names.
            """)
    @OptionGroup(title: "Common options") var shared: SharedOptions
    @Argument(help: "get, store, erase, list or version") var verb: String

    /// docker's exact text for a missing credential.
    private static let notFound = "credentials not found in native keychain\n"
    private static let longest = 65_536

    func run() async throws {
        let environment = ProcessEnvironment()
        switch verb {
        case "get": try await get(environment)
        case "store": try store(environment)
        case "erase": _ = HelperInput.read(limit: Self.longest)
        case "list": try list(environment)
        case "version": Output.write("docker-credential-foyer \(Product.version)\n", to: STDOUT_FILENO)
        default: throw Failure(.usage, "unknown action \"\(verb)\": use get, store, erase, list or version")
        }
    }

    private func get(_ environment: ProcessEnvironment) async throws {
        let text = String(decoding: HelperInput.read(limit: Self.longest), as: UTF8.self)
        let name = String(text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace })
        guard let registry = ContainerRegistry(name) else { return try refuse() }
        let context = try CommandContext(shared.choices(), environment: environment)
        guard let call = try ProgramCall(registry.query(context.shared, environment), context) else {
            return try refuse()
        }
        let token = try await ProgramSignIn(environment: environment).token(call)
        let exchange = RegistryExchange(context.network())
        let result = await Result.of { () throws(Failure) in
            let (user, secret) = try await exchange.credential(for: token, at: registry)
            return JSONValue(("ServerURL", name.json), ("Username", user.json), ("Secret", secret.reveal().json))
        }
        await exchange.close()
        Output.write(try result.get().serialized() + "\n", to: STDOUT_FILENO)
    }

    private func refuse() throws {
        Output.write(Self.notFound, to: STDOUT_FILENO)
        throw ExitCode(1)
    }

    /// docker stores a credential again after using it. Other passwords are not accepted.
    private func store(_ environment: ProcessEnvironment) throws {
        let input = HelperInput.read(limit: Self.longest)
        guard let name = (try? JSONValue(parsing: input))?["ServerURL"]?.string,
            let registry = ContainerRegistry(name),
            try CommandContext(shared.choices(), environment: environment)
                .resolvedPlace(registry.query(shared.choices(), environment)) != nil
        else {
            throw Failure(
                .usage, "foyer does not store registry passwords",
                hint: "set another helper for this registry under credHelpers in ~/.docker/config.json")
        }
    }

    /// Only registries with a token that needs no prompt, as docker then requests every one of them.
    private func list(_ environment: ProcessEnvironment) throws {
        let context = try CommandContext(shared.choices(), environment: environment)
        let found = context.settings.registriesOfRules.filter { name in
            guard let registry = ContainerRegistry(name),
                let call = try? ProgramCall(registry.query(context.shared, environment), context, isAsked: false)
            else { return false }
            return ProgramExplanation(call, now: Date()).failure == nil
        }
        let list = JSONValue(found.map { ($0, RegistryExchange.identityTokenUser.json) })
        Output.write(list.serialized() + "\n", to: STDOUT_FILENO)
    }
}
