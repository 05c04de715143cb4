import Identity

/// All settings: the names that the reader accepts, and the tables of the reference.
package enum SettingsTable {
    package struct Setting {
        package let name: String
        /// The type, or the allowed words; `foyer report` prints no other text values.
        package let value: String
        /// The default.
        package let standard: String
        package let meaning: String

        package init(_ name: String, _ value: String, _ standard: String, _ meaning: String) {
            (self.name, self.value, self.standard, self.meaning) = (name, value, standard, meaning)
        }
    }

    /// At the top of the file, including tables.
    package static let top: [Setting] = [
        Setting(
            "client", "string", "the only client, else the first sign-in's",
            "the default client: one of `[clients]` or a well-known one"),
        Setting("account", "string", "the only one", "the usual account of that client, see \"foyer help settings\""),
        Setting("tenant", "string", "the authority's", "the usual tenant of that client, by ID or domain"),
        Setting("theme", "string", "`default`", "the theme: a bundled one, or the name of your own file"),
        Setting("mouse", "true, false", "`false`", "mouse support"),
        Setting(
            "store", "string", "an open keyring, else a file", "the default token store"),
        Setting("clients", "tables", "none", "`[clients.NAME]`"),
        Setting("stores", "tables", "none", "`[stores.NAME]`"),
        Setting("family", "table", "none", "`[family]`"),
        Setting("agent", "table", "none", "`[agent]`, see \"foyer help agent\""),
        Setting("agents", "table", "none", "`[agents]`: AI agents, see \"foyer help programs\""),
        Setting("forward", "table", "none", "`[forward]`, see \"foyer help agent\""),
        Setting(
            "rules", "list of tables", "none",
            "`[[rules]]`: the account for other programs, see \"foyer help programs\""),
        Setting("broker", "table", "none", "`[broker]`, see \"foyer help broker\""),
        Setting("keys", "tables", "none", "`[keys.SCREEN]`: a command's key or keys, see \"foyer help keys\""),
    ]

    package static let client: [Setting] = [
        Setting("client_id", "string", "required", "the client ID"),
        Setting(
            "authority", "URL", "`https://login.microsoftonline.com/organizations`",
            "the provider, and at Entra ID the tenant"),
        Setting(
            "kind", words(Authority.Kind.allCases.map(\.rawValue)), "derived from the authority",
            "the kind of provider; `oauth2` is a server without OpenID Connect"),
        Setting(
            "server", words(KnownServer.names), "derived from the authority's host",
            "the product, for a host of your own: its endpoints and habits are known"),
        Setting(
            "redirect_uri", "URL", "`http://localhost`; at a known server `http://127.0.0.1/`",
            "the registered loopback redirect URI; without a port each sign-in uses a free one"),
        Setting(
            "scopes", "list",
            """
            Microsoft Graph's `.default`; at B2C the client ID, at AD FS `openid`, `profile`; elsewhere also `email`; \
            at a known server its own
            """,
            """
            the scopes to request. At an OpenID Connect provider they are sent unchanged; add `offline_access` to get \
            refresh tokens
            """
        ),
        Setting("capabilities", "list", "none", "client capabilities, such as `cp1` for continuous access evaluation"),
        Setting("store", "string", "the file's `store`", "this client's token store"),
        Setting("via", words(SignInMethod.allCases.map(\.rawValue)), "`auto`", "the default sign-in method"),
        Setting(
            "expiration_buffer", "0 to 3600", "`300`",
            "minimum remaining lifetime of a token, in seconds; outside Entra ID at most a tenth of its lifetime"),
        Setting(
            "extended_lifetime", "true, false", "`false`",
            "use an expired token in its extended lifetime while the provider is unreachable"),
        Setting("known_authorities", "list", "none", "hosts or URLs that need no instance discovery"),
        Setting(
            "issuer", "URL", "the authority's URL",
            "the issuer, if it differs from the authority's URL"),
        Setting(
            "instance_aware", "true, false", "`false`",
            "let Entra ID switch to the user's own cloud, also for silent calls"),
        Setting(
            "proof_of_possession", "true, false", "`false`", "bind tokens to a key if the provider supports it (DPoP)"),
        Setting("pushed_requests", "true, false", "`false`", "push authorization requests if the provider supports it"),
        Setting(
            "post_logout_redirect_uri", "URL", "none",
            "the registered loopback URI, to confirm that the browser session ended"),
        Setting(
            "account_url", "URL", "the userinfo endpoint or introspection, else named by `--login-hint`",
            "where a server without OpenID Connect says who signed in; it gets the access token"),
        Setting(
            "account_field", "string", "required with `account_url`",
            "the field of its JSON response that never changes; dots for nested objects"),
        Setting("account_name_field", "string", "the value of `account_field`", "the field with the name to show"),
        Setting(
            "client_secret_file", "string", "none",
            "the file with the client's secret: yours, mode 0600, nothing else in it"),
        Setting(
            "client_secret_command", "list", "none",
            "a program that prints the secret on its first line, with its arguments; run without a shell"),
        Setting(
            "client_secret", "kept", "none", "`kept`: the secret that `foyer secret set` keeps with the token store"),
        Setting(
            "client_secret_public", "string", "none",
            "the \"secret\" that a vendor publishes with installed apps, such as Google's; it protects nothing"),
        Setting(
            "token_endpoint_auth_method", words(ClientSecret.Method.allCases.map(\.rawValue)), "the provider's",
            "how the secret is sent"),
        Setting("endpoints", "table", "none", "`[clients.NAME.endpoints]`"),
    ]

    package static let store: [Setting] = [
        Setting("path", "string", "required", "a cache in MSAL's format; not for programs known to foyer"),
        Setting("write", "true, false", "`false`", "let foyer remove accounts from it, as the program would"),
        Setting("hidden", "true, false", "`false`", "hide its accounts"),
    ]

    package static let family: [Setting] = [
        Setting(
            "other_stores", "true, false, list", "`false`",
            "let `foyer token` use family refresh tokens from other programs' stores; a list limits this to its clients"
        )
    ]

    package static let agent: [Setting] = [
        Setting(
            "start", "true, false", "`false`",
            "start an agent after `foyer token` refreshes, if none is running"),
        Setting(
            "confirm", "true, false, list", "`false`",
            "ask before the agent gives a token to a program; a list limits this to its clients"),
        Setting(
            "lock_on", "list", "none",
            "lock the agent: `sleep` before the machine sleeps, `screen` when the screen is locked"),
        Setting("lock_after", "string", "never", "lock after this long without a request: `30m`, `8h`, `2d`"),
    ]

    package static let agents: [Setting] = [
        Setting(
            "variables", "list", "none",
            "more variables that mark an AI agent's session; the value is the session's ID")
    ]

    package static let forward: [Setting] = [
        Setting(
            "clients", "list", "none", "the clients whose tokens other hosts and containers get"),
        Setting(
            "accounts", "list", "all, not listed to the remote host",
            "the accounts, by full username or home account id"),
        Setting(
            "scopes", "list", "none",
            "the full scopes; `RESOURCE/*` is all scopes of a resource except `.default`"),
        Setting("lifetime", "string", "`8h`", "how long a connection is served: `30m`, `8h`, `2d`"),
        Setting("confirm", "true, false", "`true`", "ask on your machine before a token is sent"),
    ]

    /// Conditions, all of which must match, then the values that the program gets.
    package static let rule: [Setting] = [
        Setting("program", "string", "any", "the program: `git`, `docker`, or the command under `foyer run`"),
        Setting("host", "string", "any", "a host, with any non-default port, or `*.example.org`"),
        Setting("path", "string", "any", "a path prefix of whole components"),
        Setting("organization", "string", "any", "an Azure DevOps organization"),
        Setting("cluster", "string", "any", "the URL of a Kubernetes cluster, or `*` for any"),
        Setting("registry", "string", "any", "a container registry, written as a host"),
        Setting("directory", "string", "any", "the program's working folder or one above it; `~` is allowed"),
        Setting("client", "string", "the default client", "a client of `[clients]`, a well-known one or a client ID"),
        Setting("account", "string", "the only one", "a username, a home account id, or a prefix of either"),
        Setting("tenant", "string", "the authority's", "an Entra ID tenant, by ID or domain"),
        Setting("scopes", "list", "the program's", "the scopes of the token"),
        Setting(
            "agents", "true, false", "asked; a token of its own at Entra ID",
            "whether an AI agent's session gets your token"),
    ]

    package static let broker: [Setting] = [
        Setting(
            "use", words(BrokerUse.allCases.map(\.rawValue)), "`never`",
            """
            when to use another program's broker: `device` only if nothing else can provide the token, `always` \
            before any refresh token is sent
            """)
    ]

    package static func names(_ settings: [Setting]) -> [String] { settings.map(\.name) }

    /// The tables in the documentation.
    package static var markdown: String {
        let endpoints = words(ClientBehaviour.endpointNames.map { "`\($0.name)`" })
        return [
            section("At the top", top), section("`[clients.NAME]`", client),
            "### `[clients.NAME.endpoints]`\n\n"
                + "URLs that are missing or wrong in the provider's metadata:\n\(endpoints).\n",
            section("`[stores.NAME]`", store), section("`[family]`", family),
            section("`[agent]`", agent), section("`[agents]`", agents), section("`[forward]`", forward),
            section("`[[rules]]`", rule),
            section("`[broker]`", broker),
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
