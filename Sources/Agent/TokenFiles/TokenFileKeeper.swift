package import CommandSupport
import FoundationEssentials
import Glibc
import Identity
package import Logging
import SilentFirst
import TokenCache

/// Keeps the files of the list fresh as long as it runs.
package struct TokenFileKeeper: Sendable {
    private let calls: SilentCalls
    private let environment: ProcessEnvironment
    private let logger: Logger
    /// By path.
    let ahead: AheadOfNeed<String>

    /// The list is read so often: a file that was added is looked at then, and one that has failed for good, such as
    /// where a person has to sign in, is tried again.
    private static let interval: Duration = .seconds(15)

    package init(_ calls: SilentCalls, _ environment: ProcessEnvironment, _ logger: Logger) {
        (self.calls, self.environment, self.logger) = (calls, environment, logger)
        ahead = AheadOfNeed(logger)
    }

    /// Ends when it is cancelled.
    ///
    /// - Parameter isAllowed: whether tokens may leave now.
    package func run(isAllowed: @escaping @Sendable () async -> Bool) async {
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                await ahead.run { path in await isAllowed() ? await update(path) : .failed(notBefore: nil) }
            }
            repeat {
                for file in await list() where await isToBeLookedAt(file) {
                    await note(file, Self.dueNow, of: file.path)
                }
            } while (try? await Task.sleep(for: Self.interval, clock: .continuous)) != nil
        }
    }

    /// Of a file that is not known yet: its time has come.
    private static var dueNow: TokenLife { TokenLife(issued: Date(timeIntervalSinceNow: -3600), expires: Date()) }

    /// One that was taken away is written again at once. Where nothing was written its time comes by itself.
    private func isToBeLookedAt(_ file: TokenFile) async -> Bool {
        if await !ahead.knows(file.path) { return true }
        return file.last?.expiresOn != nil && !Self.isThere(file.path)
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func list() async -> [TokenFile] {
        let list = TokenFileList(environment)
        return await BlockingExecutor.run { (try? list.files()) ?? [] }
    }

    private func note(_ file: TokenFile, _ life: TokenLife, of provider: String) async {
        let environment = environment
        // A sign-in is noticed by the store's folder.
        let folder = await BlockingExecutor.run { file.storeFolder(environment) }
        await ahead.asked(
            file.path, of: provider, life, client: file.path, account: file.account, storeFolder: folder ?? "/")
    }

    private func update(_ path: String) async -> RefreshSchedule<String>.End {
        guard let file = await list().first(where: { $0.path == path }) else { return .over }
        let result = await Result.of { () throws(Failure) in
            try await TokenFileUpdate(calls, environment).run(file)
        }
        switch result {
        case .success(nil): return .over
        case .success(let written?):
            // A provider may send nothing newer, now or ever: it is asked again after a while, not at once.
            guard !written.life.isDue(at: Date()) else { return .failed(notBefore: nil) }
            await note(file, written.life, of: written.provider)
            return .renewed(written.life)
        case .failure(let failure):
            // What could not be written over is in the file still.
            let end = Self.isThere(path) ? file.last?.expiresOn : nil
            if end != file.last?.expiresOn || failure.code.rawValue != file.last?.error {
                let list = TokenFileList(environment)
                let outcome = TokenFile.Outcome(at: Date(), expiresOn: end, error: failure.code.rawValue)
                await BlockingExecutor.run { list.note(outcome, of: file) }
            }
            logger.info("\(path) was not written: \(failure.code.rawValue)")
            return .failed(notBefore: nil)
        }
    }
}

extension TokenFile {
    /// Nil where the settings do not say it.
    fileprivate func storeFolder(_ environment: ProcessEnvironment) -> String? {
        guard let session = try? CommandContext(options, environment: environment) else { return nil }
        return try? session.storeSpec(session.clientIfAny()).folder
    }
}
