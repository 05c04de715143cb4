import Identity
import SilentFirst

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
            (self.name, self.value, self.standard, self.meaning) = (name, value, standard, meaning)
        }
    }

    /// At the top of the file, tables among them.
    package static let top: [Setting] = [
        Setting(
            "client", "text", "the only client, else the first sign-in's",
            "the default client: one of `[clients]` or a well-known one"),
        Setting("theme", "text", "`default`", "the theme: a bundled one, or the name of a file of yours"),
        Setting("mouse", "true, false", "`false`", "take clicks and the wheel from the terminal"),
        Setting(
            "store", "text", "an open keyring, else a file", "where tokens are kept, for clients that name no store"),
        Setting("clients", "tables", "none", "`[clients.NAME]`"),
        Setting("stores", "tables", "none", "`[stores.NAME]`"),
        Setting("family", "table", "none", "`[family]`"),
        Setting("agent", "table", "none", "`[agent]`, as in \"foyer help agent\""),
        Setting("forward", "table", "none", "`[forward]`, as in \"foyer help agent\""),
        Setting(
            "rules", "list of tables", "none",
            "`[[rules]]`: which account other programs get, as in \"foyer help programs\""),
        Setting("broker", "table", "none", "`[broker]`, as in \"foyer help broker\""),
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
            "scopes", "list",
            """
            Microsoft Graph's `.default`; at B2C the client id, at AD FS `openid`, `profile`; elsewhere `email` as \
            well
            """,
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
            "start", "true, false", "`false`",
            "where no agent runs, a `foyer token` that had to refresh starts one for the next ones"),
        Setting(
            "confirm", "true, false, list", "`false`",
            "ask before the agent gives a token to a program; a list names the clients that this is for"),
        Setting(
            "lock_on", "list", "none",
            "when the agent locks itself: `sleep` before the machine sleeps, `screen` when the screen is locked"),
        Setting("lock_after", "text", "never", "lock when no token was asked for so long: `30m`, `8h`, `2d`"),
    ]

    package static let forward: [Setting] = [
        Setting(
            "clients", "list", "none: nothing is served", "the clients whose tokens other hosts and containers get"),
        Setting(
            "accounts", "list", "all, without telling them",
            "usernames or home account ids, in full, whose tokens they get"),
        Setting(
            "scopes", "list", "none: nothing is served",
            "the scopes that they get, in full; `RESOURCE/*` is all of a resource but `.default`"),
        Setting("lifetime", "text", "`8h`", "how long after its beginning a connection is served: `30m`, `8h`, `2d`"),
        Setting("confirm", "true, false", "`true`", "ask at home before a token leaves"),
    ]

    /// Conditions, all of which must be so, then what the program gets.
    package static let rule: [Setting] = [
        Setting("program", "text", "any", "the program: `git`, `docker`, or the command that `foyer run` has started"),
        Setting("host", "text", "any", "a host, with its port where it is not the scheme's own, or `*.example.org`"),
        Setting("path", "text", "any", "the beginning of the path, in whole parts"),
        Setting("organization", "text", "any", "an organization of Azure DevOps"),
        Setting("cluster", "text", "any", "the address of a Kubernetes cluster, or `*` for any"),
        Setting("registry", "text", "any", "a container registry, written as a host"),
        Setting("directory", "text", "any", "a folder, `~` too: the program works in it or below it"),
        Setting("client", "text", "the default client", "a client of `[clients]`, a well-known one or a client ID"),
        Setting("account", "text", "the only one", "a username, a home account id, or the beginning of either"),
        Setting("tenant", "text", "the authority's", "a tenant at Entra ID, by its ID or a domain"),
        Setting("scopes", "list", "the program's", "the scopes of the token"),
    ]

    package static let broker: [Setting] = [
        Setting(
            "use", words(BrokerUse.allCases.map(\.rawValue)), "`never`",
            """
            when another program's broker is asked for a token: `device` where only it can answer, `always` before \
            any refresh token is sent
            """)
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
            section("`[agent]`", agent), section("`[forward]`", forward), section("`[[rules]]`", rule),
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
