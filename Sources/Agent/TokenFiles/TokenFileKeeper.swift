package import CommandSupport
import FoundationEssentials
import Glibc
import Identity
package import Logging
import SilentFirst
import TokenCache
package import TokenCalls

package struct TokenFileKeeper: Sendable {
    private let calls: SilentCalls
    private let environment: ProcessEnvironment
    private let logger: Logger
    /// By path.
    let ahead: ProactiveRefresher<String>

    package init(_ calls: SilentCalls, _ environment: ProcessEnvironment, _ logger: Logger) {
        (self.calls, self.environment, self.logger) = (calls, environment, logger)
        ahead = ProactiveRefresher(logger)
    }

    /// Returns when cancelled.
    ///
    /// - Parameter isAllowed: whether tokens may be written now.
    package func run(isAllowed: @escaping @Sendable () async -> Bool) async {
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                await ahead.run(onFileChange: check) { path in
                    await isAllowed() ? await update(path) : .failed(notBefore: nil)
                }
            }
            await ahead.watch(TokenFileList(environment).path)
            await check()
        }
    }

    /// Schedules the files that are new in the list or were deleted.
    private func check() async {
        for file in await list() {
            await ahead.watch(file.path)
            if await isToBeLookedAt(file) { await note(file, Self.dueNow, of: file.path) }
        }
    }

    private static var dueNow: TokenLifetime {
        TokenLifetime(issued: Date(timeIntervalSinceNow: -3600), expires: Date())
    }

    /// A deleted file is written again immediately. A file that was never written has a scheduled retry.
    private func isToBeLookedAt(_ file: TokenFile) async -> Bool {
        if await !ahead.knows(file.path) { return true }
        return file.last?.expiresOn != nil && !Self.isThere(file.path)
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func list() async -> [TokenFile] {
        let list = TokenFileList(environment)
        return await BlockingExecutor.run { (try? list.files()) ?? [] }
    }

    private func note(_ file: TokenFile, _ life: TokenLifetime, of provider: String) async {
        let environment = environment
        // A sign-in changes the store.
        let store = await BlockingExecutor.run { file.store(environment) }
        await ahead.asked(
            file.path, of: provider, life, client: file.path, account: file.account, store: store,
            isLasting: true)
    }

    private func update(_ path: String) async -> RefreshSchedule<String>.End {
        guard let file = await list().first(where: { $0.path == path }) else { return .over }
        let result = await Result.of { () throws(Failure) in
            try await TokenFileUpdate(calls, environment).run(file)
        }
        switch result {
        case .success(nil): return .over
        case .success(let written?):
            // The provider may have nothing newer: wait before the next request.
            guard !written.life.isDue(at: Date()) else { return .failed(notBefore: nil) }
            await note(file, written.life, of: written.provider)
            return .renewed(written.life)
        case .failure(let failure):
            // A failed update leaves the old token in the file.
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
    /// The path of its store; nil if the settings do not name one.
    fileprivate func store(_ environment: ProcessEnvironment) -> String? {
        guard let session = try? CommandContext(options, environment: environment) else { return nil }
        return try? session.storeSpec(session.clientIfAny()).path
    }
}
