package import Identity
import TokenCache

extension TokenOptions {
    /// For use in another working directory.
    ///
    /// - Throws: `configuration` for an invalid store.
    package func withAbsolutePaths(_ environment: ProcessEnvironment) throws(Failure) -> TokenOptions {
        var options = self
        options.store = try store.map { text throws(Failure) in
            try CommandContext(self, environment: environment).spec(text).description
        }
        options.config = config.map(environment.expand)
        return options
    }
}
