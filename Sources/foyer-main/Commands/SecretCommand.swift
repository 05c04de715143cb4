import ArgumentParser
import CommandSupport
import FoundationEssentials
import Glibc
import Identity
import SilentCore
import StrictJSON
import TokenCache

/// Client secrets in the token store. A secret is never an argument or a variable: other programs can read those.
struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Keep client secrets with the token store",
        subcommands: [List.self, Set.self, Remove.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the clients that have a secret")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            var rows: [JSONValue] = []
            var lines: [String] = []
            for client in session.settings.clients {
                guard let secret = client.behaviour.clientSecret else { continue }
                var state = Self.words(secret.source)
                var isKept: Bool?
                var expiry: Date?
                if case .kept = secret.source {
                    let place = try SecretPlace(client, session, creates: false)
                    isKept = try Failure.translating(try place.store.secret(of: place.owner)) != nil
                    expiry = try Failure.translating(try place.store.expiry(of: place.owner))
                    state = isKept == true ? "kept in \(session.label(place.cache))" : "not kept yet"
                }
                rows.append(
                    JSONValue(
                        ("client", client.name.json), ("source", Self.name(secret.source).json),
                        ("isKept", isKept.map { JSONValue.bool($0) } ?? .null), ("expiresOn", expiry.json)))
                lines.append("\(client.name): \(state)" + (expiry.map { ", expires on \($0.day)" } ?? ""))
            }
            let unfinished = session.unfinishedRegistrations
            lines += unfinished.flatMap { [$0.words, $0.advice] }
            session.output.result(
                JSONValue(("secrets", .array(rows)), ("unfinished", .array(unfinished.map(\.json)))),
                or: lines.isEmpty ? ["no client in \(session.short(session.settings.path)) has a secret"] : lines)
        }

        private static func name(_ source: ClientSecret.Source) -> String {
            switch source {
            case .file: "file"
            case .command: "command"
            case .kept: "kept"
            case .published: "public"
            }
        }

        private static func words(_ source: ClientSecret.Source) -> String {
            switch source {
            case .file(let path): "in \(path)"
            case .command(let words): "from \(words.first ?? "")"
            case .kept: "kept"
            case .published: "in the settings, published by the vendor"
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Keep a client's secret with the token store",
            discussion: """
                Prompts for the secret, or reads its first line from standard input. Write client_secret = "kept" in \
                the client's settings.
                """)
        @Argument(help: "Client of the settings", completion: .known(.clients))
        var client: String
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let client = try session.client(named: self.client)
            let place = try SecretPlace(client, session, creates: true)
            let secret = try await Self.secret(client.name)
            try Failure.translating(try place.store.set(secret, of: place.owner))
            let kept = try Failure.translating(try place.cache.current)
            let isUsed = client.behaviour.clientSecret?.source == .kept
            session.output.result(
                JSONValue(
                    ("client", client.name.json), ("store", (kept.spec?.description ?? kept.path).json),
                    ("isUsed", .bool(isUsed))),
                or: ["the secret of \(client.name) is kept in \(session.label(kept))"]
                    + (isUsed ? [] : ["next: write client_secret = \"kept\" into [clients.\(client.name)]"]))
        }

        private static func secret(_ client: String) async throws(Failure) -> Secret {
            let typed: Secret?
            if isatty(STDIN_FILENO) == 1 {
                guard let terminal = ControllingTerminal() else {
                    throw Failure(.usage, "no terminal for the prompt", hint: "pass the secret on standard input")
                }
                typed = terminal.secret("Client secret of \(client): ")
                guard let typed else { throw Failure(.cancelled, "nothing was changed") }
                guard typed.count < ControllingTerminal.longest else {
                    throw Failure(.usage, "too long for the prompt", hint: "pass the secret on standard input")
                }
            } else {
                typed = await PlainInput().next().map { Secret($0) }
            }
            guard let secret = typed.flatMap({ ClientSecret.secret($0.reveal().utf8) }) else {
                throw Failure(
                    .usage, "not a client secret",
                    hint: "expected one line of 1 to \(ClientSecret.longest) bytes without control characters")
            }
            return secret
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a client's secret from the token store")
        @Argument(help: "Client of the settings", completion: .known(.clients))
        var client: String
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let client = try session.client(named: self.client)
            let place = try SecretPlace(client, session, creates: false)
            let wasKept = try Failure.translating(try place.store.remove(of: place.owner))
            session.output.result(
                JSONValue(("client", client.name.json), ("removed", .bool(wasKept))),
                or: [wasKept ? "the secret of \(client.name) is removed" : "no secret of \(client.name) is kept"])
        }
    }
}

/// Where a client's secret is kept: in the store of its tokens, for its own provider.
struct SecretPlace {
    let cache: TokenCache
    let owner: ClientSecretOwner
    var store: ClientSecretStore { ClientSecretStore(cache) }
    var name: String { cache.spec?.description ?? cache.path }

    /// - Parameter creates: whether a missing default store is chosen as for a sign-in.
    init(_ client: ClientChoice, _ session: CommandContext, creates: Bool) throws(Failure) {
        // The secret can still have to be typed.
        cache = creates ? try session.storeForSigningIn(client).cache.watched : try session.cache(client)
        let text = client.authority ?? Authority.defaultAddress
        let authority: Authority
        do { authority = try Authority(text, kind: client.kind) } catch {
            throw Failure(.configuration, "\(text): \(error)")
        }
        owner = try session.cachedClient(client, at: authority, cache: cache).configuration.secretOwner
    }
}

extension Date {
    /// As `2026-01-31`, in UTC.
    var day: String { String(rfc3339.prefix(10)) }
}
