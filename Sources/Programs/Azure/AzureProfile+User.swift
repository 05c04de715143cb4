import CommandSupport
import Console
package import Identity

extension AzureProfile.User {
    /// Theirs among the accounts that could be meant; usernames are compared without regard to case, as the Azure CLI
    /// does. Nil where none is.
    package func account(among accounts: [Account]) -> Account? {
        guard isPerson else { return nil }
        return accounts.first { $0.username.asciiLowercased == name.asciiLowercased }
    }

    /// Why there is no token, where Azure CLI is not there to give theirs.
    ///
    /// - Parameter client: the client that they would sign in to, by name.
    package func failure(client: String) -> Failure {
        let shown = SafeText.line(name, limit: 200)
        guard isPerson else {
            return Failure(
                .interactionRequired, "Azure CLI is set to the service principal \(shown), and foyer has none",
                hint: "use Azure CLI itself, or name an account in a rule for az")
        }
        return Failure(
            .interactionRequired, "Azure CLI is set to \(shown), who has not signed in to foyer",
            hint: .text("run \"foyer sign-in --client \(client.shellWord) --login-hint \(shown.shellWord)\""))
    }
}
