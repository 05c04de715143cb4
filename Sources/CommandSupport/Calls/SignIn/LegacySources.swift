import Glibc
package import Identity
import LegacyCaches
import TokenCache

/// Legacy caches in their programs' usual places. They are only read, and only to list their accounts; `foyer import`
/// takes over their tokens.
package struct LegacySources {
    package let path: String

    /// The old Azure CLI's cache, which it wrote before version 2.30.
    package init(_ environment: ProcessEnvironment) {
        path =
            (environment["AZURE_CONFIG_DIR"].map(environment.expand) ?? environment.home + "/.azure")
            + "/accessTokens.json"
    }

    /// Accounts with a refresh token in the cache. Empty if the file is missing or invalid, which is not an error: the
    /// user did not name it.
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
    /// Adds the import command as the hint if a legacy cache has the account.
    package func hinted(legacy sources: LegacySources, named: String?) -> Failure {
        guard code == .notFound, let named else { return self }
        do throws(Failure) { _ = try AccountChoice.find(named, among: sources.accounts()) } catch { return self }
        var failure = self
        failure.hint = "the old Azure CLI's cache has this account; run \"foyer import \(sources.path.shellWord)\""
        return failure
    }
}
