import Glibc
package import Identity
import LegacyCaches
import TokenCache

/// Legacy caches that are looked for where programs left them. They are only read, and only for their accounts: whoever
/// wants to use them imports them with `foyer import`.
package struct LegacySources {
    package let path: String

    /// The old Azure CLI's cache, which it wrote before version 2.30.
    package init(_ environment: ProcessEnvironment) {
        path =
            (environment["AZURE_CONFIG_DIR"].map(environment.expand) ?? environment.home + "/.azure")
            + "/accessTokens.json"
    }

    /// The people whose refresh tokens are there; none when the file is not there, or is none. Nothing waits for it:
    /// who asks did not name it.
    package func accounts() -> [Account] {
        guard access(path, R_OK) == 0 else { return [] }
        do throws(Failure) {
            guard let bytes = try TextFile.read(path, limit: LegacyCache.maximumBytes, what: "legacy cache") else {
                return []
            }
            return LegacyCache(bytes).entries.filter { $0.refreshToken != nil }.accounts
        } catch { return [] }
    }
}

extension Failure {
    /// With the command that takes over a legacy cache which knows the account that was named, where there is one.
    package func hinted(legacy sources: LegacySources, named: String?) -> Failure {
        guard code == .notFound, let named else { return self }
        do throws(Failure) { _ = try AccountChoice.find(named, among: sources.accounts()) } catch { return self }
        var failure = self
        failure.hint = "the old Azure CLI's cache has this account; run \"foyer import \(sources.path.shellWord)\""
        return failure
    }
}
