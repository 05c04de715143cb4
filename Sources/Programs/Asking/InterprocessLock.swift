package import CommandSupport
package import TokenCache

/// Things that one process per home folder does at a time; the others wait.
package enum InterprocessLock: String, Sendable {
    case question = "program-question"
    case setup

    /// Blocks the thread. Returns nil after the time limit, or if the lock file cannot be created.
    package func take(_ environment: ProcessEnvironment, limit: Duration) -> FileLock? {
        Folder.make(environment.stateFolder)
        return try? FileLock(environment.stateFolder + "/\(rawValue).lock", limit: limit)
    }
}
