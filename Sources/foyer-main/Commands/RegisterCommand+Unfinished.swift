import CommandSupport
import Identity
import SilentFirst
import StrictJSON
import TokenCache

// Registrations that a killed process, or a settings file that could not be written, has left half made.

extension RegisterCommand {
    /// Writes the settings of a client that the provider has registered already.
    ///
    /// - Returns: false if a new registration is needed; what is left of the old one has been said.
    func finish(
        _ entry: UnfinishedRegistrations.Entry, _ unfinished: UnfinishedRegistrations, _ session: CommandContext
    ) async throws(Failure) -> Bool {
        guard let clientID = entry.clientID else {
            session.output.warn(
                "an earlier registration was interrupted before its answer: \(entry.authority) may have a client "
                    + "\"foyer (\(name))\" that is not used")
            return false
        }
        let place = try entry.store.map { store throws(Failure) in try session.cache(named: store) }
        if entry.needsSecret {
            guard let place, let owner = entry.owner,
                try Failure.translating(try ClientSecretStore(place).secret(of: owner)) != nil
            else {
                session.output.warn(
                    "the earlier registration \(clientID) was interrupted before its secret was kept: delete it at "
                        + entry.authority)
                return false
            }
        }
        try SettingsFile(session.settings.path).add(client: name, clientID, entry.lines)
        try unfinished.remove(name)
        session.output.result(
            JSONValue(
                ("clientId", clientID.json), ("name", name.json), ("authority", entry.authority.json),
                ("settings", session.settings.path.json), ("finished", .bool(true)),
                ("secretStore", (entry.needsSecret ? entry.store : nil).json)),
            or: [
                "finished: registered as \(clientID) on \(entry.date.day); "
                    + "\(session.short(session.settings.path)) has it as \"\(name)\"",
                "next: foyer sign-in --client \(name.shellWord)",
            ])
        return true
    }
}

/// Deletes a client at its provider (RFC 7592), with what is kept of it here.
struct RegistrationDeletion {
    private let name: String
    private let unfinished: UnfinishedRegistrations
    private let session: CommandContext

    init(_ name: String, _ unfinished: UnfinishedRegistrations, _ session: CommandContext) {
        (self.name, self.unfinished, self.session) = (name, unfinished, session)
    }

    func run() async throws(Failure) {
        let entry = session.settings.client(named: name) == nil ? unfinished.entry(name) : nil
        let store: ClientSecretStore
        let owner: ClientSecretOwner
        if let entry {
            guard let clientID = entry.clientID else {
                try unfinished.remove(name)
                throw Failure(
                    .notFound, "the provider's answer to this registration was not recorded",
                    hint: .text("delete the client \"foyer (\(name))\" at \(entry.authority)"))
            }
            guard let place = entry.store, let known = entry.owner else {
                try unfinished.remove(name)
                throw Self.withoutAccess(clientID)
            }
            (store, owner) = (ClientSecretStore(try session.cache(named: place)), known)
        } else {
            let place = try SecretPlace(try session.client(named: name), session, creates: false)
            (store, owner) = (place.store, place.owner)
        }
        guard let access = try Failure.translating(try store.access(of: owner)) else {
            if entry != nil {
                try Failure.translating(try store.forget(owner))
                try unfinished.remove(name)
            }
            throw Self.withoutAccess(owner.clientID)
        }
        guard await PublicClientApplication.delete(access, network: session.network()) else {
            throw Failure(
                .serverError, "the provider did not confirm that \(owner.clientID) is deleted",
                hint: "nothing was removed here; try again, or delete it at the provider")
        }
        try Failure.translating(try store.forget(owner))
        try unfinished.remove(name)
        let left = session.settings.client(named: name) != nil
        session.output.result(
            JSONValue(("clientId", owner.clientID.json), ("name", name.json), ("deleted", .bool(true))),
            or: ["\(owner.clientID) is deleted at the provider"]
                + (left ? ["next: remove [clients.\(name)] from \(session.short(session.settings.path))"] : []))
    }

    private static func withoutAccess(_ clientID: String) -> Failure {
        Failure(
            .notFound, "nothing is kept that could delete \(clientID)", hint: "delete it at the provider")
    }
}

extension CommandContext {
    /// - Parameter store: a store's name, as in the settings.
    func cache(named store: String) throws(Failure) -> TokenCache { TokenCache(try spec(store), keys: keys) }

    var unfinishedRegistrations: [UnfinishedRegistrations.Entry] {
        UnfinishedRegistrations(environment, settings: settings.path).read().filter {
            settings.client(named: $0.name) == nil
        }
    }
}

extension UnfinishedRegistrations.Entry {
    var words: String {
        "the registration of \(name) at \(authority) on \(date.day) was not finished"
            + (clientID.map { "; the provider calls it \($0)" } ?? "")
    }

    var advice: String {
        let name = name.shellWord
        return clientID == nil
            ? "register it again: foyer register \(name); the provider may have an unused client "
                + "\"foyer (\(self.name))\""
            : "to finish it: foyer register \(name) --authority \(authority.shellWord); "
                + "to delete it: foyer register \(name) --delete"
    }

    var json: JSONValue {
        JSONValue(
            ("client", name.json), ("clientId", clientID.json), ("authority", authority.json),
            ("at", date.rfc3339.json))
    }
}
