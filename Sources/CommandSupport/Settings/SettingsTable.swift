import Identity

/// What the settings file can say: the names that its reader accepts, and the table of the reference.
package enum SettingsTable {
    package struct Setting {
        package let name: String
        /// The kind of value, or the words that can be written.
        package let value: String
        /// What is so without the setting.
        package let standard: String
        package let meaning: String

        package init(_ name: String, _ value: String, _ standard: String, _ meaning: String) {
            self.name = name
            self.value = value
            self.standard = standard
            self.meaning = meaning
        }
    }

    /// At the top of the file, tables among them.
    package static let top: [Setting] = [
        Setting("client", "text", "the only client", "the default client: one of `[clients]` or a well-known one"),
        Setting("theme", "text", "`default`", "the theme: a bundled one, or the name of a file of yours"),
        Setting("mouse", "true, false", "`false`", "take clicks and the wheel from the terminal"),
        Setting(
            "store", "text", "an open keyring, else a file", "where tokens are kept, for clients that name no store"),
        Setting("clients", "tables", "none", "`[clients.NAME]`"),
        Setting("stores", "tables", "none", "`[stores.NAME]`"),
        Setting("family", "table", "none", "`[family]`"),
        Setting("agent", "table", "none", "`[agent]`, as in \"foyer help agent\""),
        Setting("keys", "tables", "none", "`[keys.SCREEN]`: a command's key or keys, as in \"foyer help keys\""),
    ]

    package static let client: [Setting] = [
        Setting("client_id", "text", "required", "the identifier of the client's registration"),
        Setting(
            "authority", "URL", "`https://login.microsoftonline.com/organizations`",
            "the provider, and at Entra ID the tenant"),
        Setting(
            "kind", words(Authority.Kind.allCases.map(\.rawValue)), "found from the authority", "the kind of provider"),
        Setting(
            "redirect_uri", "URL", "`http://localhost`",
            "the loopback redirect URI of the registration; without a port each sign-in uses a free one"),
        Setting(
            "scopes", "list", "Microsoft Graph's `.default`; elsewhere `openid`, `profile`, `email`",
            """
            the scopes to ask for. At an OpenID Connect provider they are sent as they are; `offline_access` keeps \
            people signed in
            """
        ),
        Setting("capabilities", "list", "none", "client capabilities, such as `cp1` for continuous access evaluation"),
        Setting("store", "text", "the file's `store`", "where this client's tokens are kept"),
        Setting("via", words(SignInMethod.allCases.map(\.rawValue)), "`auto`", "how to sign in when no option says so"),
        Setting(
            "expiration_buffer", "0 to 3600", "`300`",
            "minimum remaining lifetime of a token, in seconds; outside Entra ID at most a tenth of its lifetime"),
        Setting(
            "extended_lifetime", "true, false", "`false`",
            "use an expired token in its extended lifetime while the provider is unreachable"),
        Setting("known_authorities", "list", "none", "hosts or addresses that need no instance discovery"),
        Setting(
            "issuer", "URL", "the authority's address",
            "the issuer, where the provider names another one than its address"),
        Setting(
            "instance_aware", "true, false", "`false`",
            "Entra ID may answer from the person's own cloud, and silent calls follow"),
        Setting("proof_of_possession", "true, false", "`false`", "bind tokens to a key where the provider can (DPoP)"),
        Setting("pushed_requests", "true, false", "`false`", "push authorization requests where the provider can"),
        Setting(
            "post_logout_redirect_uri", "URL", "none",
            "a loopback address, as registered: a sign-out then knows whether the browser session ended"),
        Setting("endpoints", "table", "none", "`[clients.NAME.endpoints]`"),
    ]

    package static let store: [Setting] = [
        Setting("path", "text", "required", "a cache in MSAL's format; not for a program that foyer knows"),
        Setting("write", "true, false", "`false`", "foyer may remove accounts from it, as the program would"),
        Setting("hidden", "true, false", "`false`", "leave its accounts out of the list"),
    ]

    package static let family: [Setting] = [
        Setting(
            "other_stores", "true, false, list", "`false`",
            "`foyer token` may use a family refresh token of another program's store; a list names the clients that may"
        )
    ]

    package static let agent: [Setting] = [
        Setting(
            "confirm", "true, false, list", "`false`",
            "ask before the agent gives a token to a program; a list names the clients that this is for")
    ]

    package static func names(_ settings: [Setting]) -> [String] { settings.map(\.name) }

    /// The tables of the reference.
    package static var markdown: String {
        let endpoints = words(ClientBehaviour.endpointNames.map { "`\($0.name)`" })
        return [
            section("At the top", top), section("`[clients.NAME]`", client),
            "### `[clients.NAME.endpoints]`\n\n"
                + "Addresses that the provider's metadata lacks or names wrongly, each a URL:\n\(endpoints).\n",
            section("`[stores.NAME]`", store), section("`[family]`", family),
            section("`[agent]`", agent),
        ].joined(separator: "\n")
    }

    private static func section(_ title: String, _ settings: [Setting]) -> String {
        let rows = settings.map { "| `\($0.name)` | \($0.value) | \($0.standard) | \($0.meaning) |\n" }
        return "### \(title)\n\n| setting | value | default | meaning |\n|---|---|---|---|\n\(rows.joined())"
    }

    private static func words(_ words: [String]) -> String {
        words.dropFirst().reduce(words.first ?? "") { $0 + ", " + $1 }
    }
}
