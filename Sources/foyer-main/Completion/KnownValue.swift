// Completion: the values that a shell offers. Reads only accessible local data: contacts no provider, service or
// keyring, asks the user nothing and writes nothing. Unreadable data is not offered.

import Agent
import ArgumentParser
import CommandSupport
import Glibc
import Identity
import Programs
import TokenCache

/// A kind of value that is known without contacting a service or the user.
enum KnownValue: Sendable {
    case clients, accounts, scopes, stores, otherStores, tokens, programs, helpNames, requests, forwardings, tokenFiles

    /// - Returns: the known values; none if the settings or a store cannot be read.
    func values(_ line: CompletionLine) -> [String] {
        switch self {
        case .programs: return SetupProgram.allCases.map(\.name)
        case .helpNames: return HelpCommand.names(after: Array(line.plainWords.dropFirst()))
        case .requests: return AgentNumbers.of(.requests, "requests")
        case .forwardings: return AgentNumbers.of(.status, "forwardings")
        case .tokenFiles: return ((try? TokenFileList(ProcessEnvironment()).files()) ?? []).map(\.path)
        case .clients, .accounts, .scopes, .stores, .otherStores, .tokens:
            guard let context = try? CommandContext(line.options) else { return [] }
            return (try? values(context)) ?? []
        }
    }

    private func values(_ context: CommandContext) throws -> [String] {
        switch self {
        case .clients:
            let uses = (try? context.openStore()).map { context.uses(in: $0) } ?? []
            return context.settings.clientNames + KnownClients(context.settings, uses: uses).signedIn.map(\.name)
        case .accounts: return try context.openStore()?.reading().overviews.map(\.account.username) ?? []
        case .scopes:
            let client = try context.clientIfAny()
            let tokens = try context.openStore()?.read().credentials(clientID: client?.clientID) ?? []
            return (client.map(context.listedScopes) ?? [])
                + tokens.filter { $0.kind == .accessToken }.flatMap(\.scopes.names)
        case .tokens:
            let tokens = try context.openStore()?.read().credentials(clientID: nil) ?? []
            let ids = TokenIDs(tokens)
            return tokens.map { ids[$0] }
        case .stores:
            let own = try context.storeSpec(try context.clientIfAny()).description
            let named = ([context.settings.store] + context.settings.clients.map(\.store)).compactMap(\.self)
            return [own] + named + (try context.existingStores()).compactMap(\.firstFile)
        case .otherStores: return try context.existingStores().map(\.name)
        case .programs, .helpNames, .requests, .forwardings, .tokenFiles: return []
        }
    }
}

extension CompletionKind {
    /// Completed with the values that this machine knows at the time.
    static func known(_ value: KnownValue) -> CompletionKind {
        .custom { words, index, beginning in
            let line = CompletionLine(words, at: index, beginning: beginning)
            return CompletionWords.fit(value.values(line), beginning: line.beginning, for: CompletionShell.requesting)
        }
    }
}

extension CommandContext {
    /// Bytes; a larger file takes too long to read while the user waits for a key.
    private static let largest = 4 << 20

    /// The store, if it can be read right away without the user: a plain file, or an encrypted one whose key is held.
    fileprivate func openStore() throws -> TokenCache? {
        let cache = try cacheForLooking(try clientIfAny()).withoutWaiting
        var info = stat()
        guard stat(cache.path, &info) == 0, info.st_size <= Self.largest else { return nil }
        switch cache.spec?.kind {
        case .file?: return cache
        case .encrypted?:
            let status = try cache.status()
            // The key is not available without running systemd-creds.
            return status.isOpen && status.hasPassphrase ? cache : nil
        case .keyring?, nil: return nil
        }
    }

    fileprivate func existingStores() throws(Failure) -> [StoreSource] {
        try sources(try clientIfAny()).dropFirst().filter { access($0.place, R_OK) == 0 }
    }
}

extension StoreSource {
    /// The store as a `--store` value; nil if the program has none that can be read as a file.
    fileprivate var firstFile: String? {
        guard case .readable(let specs) = storage, case .file? = specs.first?.kind else { return nil }
        return specs.first?.description
    }
}
