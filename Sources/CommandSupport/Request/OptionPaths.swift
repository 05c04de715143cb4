package import Identity
import TokenCache

extension TokenOptions {
    /// The same for another working folder: the store and the settings file are named by absolute paths.
    ///
    /// - Throws: `configuration` for what names no store.
    package func withAbsolutePaths(_ environment: ProcessEnvironment) throws(Failure) -> TokenOptions {
        var options = self
        options.store = try store.map { text throws(Failure) in
            try CommandContext(self, environment: environment).spec(text).description
        }
        options.config = config.map(environment.expand)
        return options
    }
}
