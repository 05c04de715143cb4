import AppModel
import ArgumentParser
import CommandSupport
import Glibc
import Identity
import StrictJSON
import StrictTOML
import TokenCache

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Show, move and protect the token store",
        subcommands: [Show.self, Move.self, Rekey.self, Unlock.self, Lock.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the store's type, path and protection")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let cache = try session.cache(try session.clientIfAny())
            let status = try Failure.translating(try cache.status())
            let kind = cache.spec?.kind ?? .file
            var problem: Failure?
            if status.isThere, status.isOpen { do { _ = try cache.read() } catch { problem = Failure(error) } }
            let state =
                !status.isThere
                ? "not created yet; the first sign-in creates it"
                : status.isOpen
                    ? problem.map { "exists, but cannot be used: \($0.message)" } ?? "usable"
                    : "locked: its passphrase is needed"
            let mode = StoreProtection.openMode(of: cache.spec)
            // The line about its readers already says that others can read it.
            let notes = cache.warnings().filter { mode == nil || !$0.contains("can be read by others") }
            let key: String? =
                kind != .encrypted
                ? nil
                : status.hasPassphrase
                    ? "passphrase; key in the kernel keyring while unlocked" : "kept by systemd-creds"
            let better = status.isThere ? session.commandToProtect(cache.spec) : nil
            session.output.result(
                JSONValue(
                    ("store", (cache.spec?.description ?? cache.path).json), ("kind", kind.rawValue.json),
                    ("path", cache.path.json), ("exists", .bool(status.isThere)), ("open", .bool(status.isOpen)),
                    ("problem", (problem?.message).json),
                    ("protection", StoreProtection.words(kind, openMode: mode).json),
                    ("readers", StoreProtection.readers(kind, openMode: mode).json),
                    ("key", key.json), ("better", better.json)),
                or: [
                    "store: \(cache.spec?.description ?? cache.path)", "state: \(state)",
                    "format: \(StoreProtection.words(kind, openMode: mode))",
                    "readable by: \(StoreProtection.readers(kind, openMode: mode))",
                ] + (problem?.hint.map { ["hint: \($0.words)"] } ?? []) + (key.map { ["key: \($0)"] } ?? [])
                    + notes.map { "note: \($0)" }
                    + (mode == nil ? [] : ["to make it private: chmod 600 \(cache.path.shellWord)"])
                    + (better.map { ["to protect it: \($0)"] } ?? []))
        }
    }

    struct Move: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "move",
            abstract: "Copy everything to another store and use that one",
            discussion: "The old store is kept unless --remove-old is given. Updates the settings.")
        @Option(help: ArgumentHelp("New store: file:PATH, encrypted:PATH or keyring:NAME", valueName: "spec"))
        var to: String
        @Flag(name: .customLong("remove-old"), help: "Remove the old store once the new one is verified")
        var removesOld = false
        @Flag(
            name: .customLong("systemd-creds"),
            help: "Protect a new encrypted store's key with systemd-creds instead of a passphrase")
        var usesSystemd = false
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let old = try session.cache(try session.clientIfAny())
            let new = TokenCache(try session.spec(to), keys: session.keys)
            let settling = StoreSettingUpdate(session, from: old, to: new)
            let isNew = !((try? new.status().isThere) ?? false)
            if usesSystemd {
                guard case .encrypted? = new.spec, isNew else {
                    throw Failure(
                        .usage, "--systemd-creds is for a new encrypted store",
                        hint: "for one that exists: foyer store rekey --systemd-creds")
                }
                try Failure.translating(try session.keys.prepareWithSystemd(path: new.path))
            }
            // Counted first: an error when reading afterwards must not look like a failed move.
            let count = try Failure.translating(try old.read().accounts(clientID: nil).count)
            let trouble: StoreError?
            do throws(MoveFailure<Failure>) {
                trouble = try old.move(to: new, removesOld: removesOld) { () throws(Failure) in try settling.settle() }
            } catch { throw Self.failure(error, at: new, isNew: isNew) }
            if let trouble { throw Self.failure(trouble, old, settling) }
            let text = new.spec?.description ?? new.path
            let left =
                removesOld ? "the old one is removed" : "the old one is kept, with all its tokens: \(old.path)"
            session.output.result(
                JSONValue(
                    ("store", text.json), ("from", (old.spec?.description ?? old.path).json),
                    ("accounts", JSONValue(integer: count)), ("removedOld", .bool(removesOld)),
                    ("settings", settling.changed.json)),
                or: [
                    "moved \(counted(count, "account")) to \(text); \(left)",
                    settling.changed.map { "\($0) updated" } ?? settling.advice,
                ])
        }

        private static func failure(_ error: MoveFailure<Failure>, at new: TokenCache, isNew: Bool) -> Failure {
            var failure: Failure
            switch error.cause {
            case .store(let error): failure = isNew ? .of(error, creating: new.path) : Failure(error)
            case .settling(let error): failure = error
            }
            guard error.isCopyLeft else { return failure }
            failure.message += "; a copy of the tokens remains in \(new.spec?.description ?? new.path)"
            let advice = "nothing else was changed; remove the copy, or move again"
            failure.hint = .text([advice, failure.hint?.words].compactMap { $0 }.joined(separator: "; "))
            return failure
        }

        /// The store was moved, but the old one still exists: a failure, since its tokens should be gone.
        private static func failure(_ error: StoreError, _ old: TokenCache, _ settling: StoreSettingUpdate) -> Failure {
            Failure(
                .storeError,
                "everything was moved to \(settling.text), but the old store could not be removed: \(error.message)",
                hint: """
                    \(settling.changed == nil ? settling.advice + "; " : "")delete the rest of the old one: \
                    \(old.spec?.description ?? old.path)
                    """)
        }
    }

    struct Rekey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rekey", abstract: "Encrypt the store with another key or passphrase")
        @Flag(name: .customLong("systemd-creds"), help: "Protect the key with systemd-creds instead of a passphrase")
        var usesSystemd = false
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let cache = try session.cache(try session.clientIfAny())
            try Failure.translating(try cache.rekey(withSystemd: usesSystemd))
            StoreCommand.say(
                session, "rekeyed", "\(cache.path) re-encrypted; older copies still open with the old key")
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlock",
            abstract: "Unlock the store for later commands")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let cache = try session.cache(try session.clientIfAny())
            guard try Failure.translating(try cache.status()).isThere else {
                throw Failure(StoreError(.noStore(why: "there is nothing at its path"), path: cache.path))
            }
            try Failure.translating(try cache.unlock())
            let status = try Failure.translating(try TokenCache(cache.spec ?? .file(path: cache.path)).status())
            StoreCommand.say(
                session, "unlocked",
                status.isOpen
                    ? "\(cache.path) is unlocked"
                    : "the passphrase is correct, but the key cannot be kept for later commands")
        }
    }

    struct Lock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lock",
            abstract: "Lock the store; the next command asks for the passphrase")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let session = try CommandContext(shared.choices())
            let cache = try session.cache(try session.clientIfAny())
            let wasHeld: Bool
            do throws(StoreError) { wasHeld = try cache.lockAgain() } catch {
                var failure = Failure(error)
                if case .noStore = error.situation { throw failure }
                failure.message = "programs that have \(cache.path) open may keep its key: \(error.message)"
                failure.hint = .text(
                    ["quit open interfaces, and run: foyer agent stop", failure.hint?.words].compactMap(\.self)
                        .joined(separator: "; "))
                throw failure
            }
            StoreCommand.say(
                session, "locked",
                wasHeld
                    ? "\(cache.path) is locked, also in other running foyer programs"
                    : "\(cache.path) was not unlocked for later commands; running foyer programs close it, too")
        }
    }

    private static func say(_ session: CommandContext, _ event: String, _ line: String) {
        session.output.result(JSONValue((event, .bool(true))), or: [line])
    }
}

/// Saves the new store in the settings, if the old one came from there.
private final class StoreSettingUpdate {
    private let session: CommandContext
    private let old: TokenCache
    private let new: TokenCache
    /// The settings file, if it was changed.
    private(set) var changed: String?

    init(_ session: CommandContext, from old: TokenCache, to new: TokenCache) {
        (self.session, self.old, self.new) = (session, old, new)
    }

    var advice: String { "to use it: store = \(TOMLText.text(text).written) in \(session.settings.path), or --store" }

    var text: String { new.spec?.description ?? new.path }

    func settle() throws(Failure) {
        if let old = old.spec, let new = new.spec {
            // Without it a script gets another client's token; a list that cannot be changed leaves the store movable.
            do throws(StoreError) { try DefaultClient(session.environment).carry(from: old, to: new) } catch {
                session.output.warn("the default client of \(old.path) is not carried over: \(error.message)")
            }
        }
        // A store named for this command only, or by one client, does not become the setting for all clients.
        guard session.shared.store == nil, session.environment["FOYER_STORE"] == nil else { return }
        guard try session.clientIfAny()?.store == nil else { return }
        try SettingsFile(session.settings.path).set("store", to: text)
        changed = session.settings.path
    }
}
