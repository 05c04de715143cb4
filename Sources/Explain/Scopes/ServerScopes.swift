package import Identity

// The scopes of git hosts, explained in our own sentences. Names and what they allow: docs.github.com (scopes for OAuth
// apps), docs.gitlab.com (OAuth 2.0 provider, authorized applications), docs.gitea.com (OAuth2 provider, scoped
// tokens); read 2026-11. Which scope is granted with which is in KnownServer.implied.

extension ScopeMeaning {
    /// The explained scopes of a server, except OpenID Connect's.
    package static func all(of server: KnownServer) -> [ScopeMeaning] {
        switch server.name {
        case "github": github
        case "gitlab": gitlab
        case "gitea": gitea
        case "google": google
        default: []
        }
    }

    private static func scope(_ name: String, _ risk: Risk, _ sentence: String, admin: Bool = false) -> ScopeMeaning {
        ScopeMeaning("", name, risk, sentence, admin: admin)
    }

    /// The meaning of a request without any scope of the server's own; nil if unknown.
    ///
    /// Gitea: GrantAdditionalScopes in services/oauth2_provider.
    package static func ofNone(at issuer: ScopeIssuer) -> ScopeMeaning? {
        guard case .server(let server) = issuer else { return nil }
        switch server.name {
        case "github": return scope("(no scope)", .low, "reads what is public")
        case "gitea": return scope("(no other scope)", .critical, "does everything that you can do: nothing limits it")
        default: return nil
        }
    }

    private static let github = [
        scope("repo", .high, "reads and changes all your repositories, also private ones: code, hooks, collaborators"),
        scope("public_repo", .high, "reads and changes your public repositories, stars repositories as you"),
        scope("repo:status", .high, "reads and sets commit statuses, which can decide what is merged; no code"),
        scope("repo_deployment", .high, "reads and sets deployment statuses, which can start deployments; no code"),
        scope("repo:invite", .medium, "accepts and declines invitations to repositories for you"),
        scope("security_events", .high, "reads and changes security alerts of code scanning"),
        scope("delete_repo", .critical, "deletes repositories that you administer"),
        scope("workflow", .high, "changes GitHub Actions workflows, which run with the repository's secrets"),
        scope("gist", .high, "creates and changes your gists"),
        scope("notifications", .medium, "reads your notifications, marks them as read, changes what you watch"),
        scope("user", .high, "reads and changes your profile, follows people as you"),
        scope("read:user", .low, "reads your profile, also what is not public"),
        scope("user:email", .low, "reads your email addresses"),
        scope("user:follow", .medium, "follows and unfollows people as you"),
        scope("admin:org", .critical, "manages your organizations: members, teams, projects"),
        scope("write:org", .critical, "changes members and projects of your organizations"),
        scope("read:org", .low, "reads the members, teams and projects of your organizations"),
        scope("admin:org_hook", .high, "manages hooks of your organizations, which send events to other servers"),
        scope("admin:repo_hook", .high, "manages hooks of repositories, which send code events to other servers"),
        scope("write:repo_hook", .high, "creates and changes hooks of repositories"),
        scope("read:repo_hook", .medium, "reads the hooks of repositories"),
        scope("admin:public_key", .critical, "adds and deletes SSH keys that push and pull as you"),
        scope("write:public_key", .critical, "adds SSH keys that push and pull as you"),
        scope("read:public_key", .low, "reads your public SSH keys"),
        scope("admin:gpg_key", .high, "adds and deletes GPG keys whose signatures count as yours"),
        scope("write:gpg_key", .high, "adds GPG keys whose signatures count as yours"),
        scope("read:gpg_key", .low, "reads your public GPG keys"),
        scope("admin:ssh_signing_key", .high, "adds and deletes SSH keys whose signatures count as yours"),
        scope("write:ssh_signing_key", .high, "adds SSH keys whose signatures count as yours"),
        scope("read:ssh_signing_key", .low, "reads your public SSH signing keys"),
        scope("write:packages", .high, "publishes and changes packages, which others install"),
        scope("read:packages", .medium, "downloads packages, also private ones"),
        scope("delete:packages", .high, "deletes packages"),
        scope("project", .high, "reads and changes projects of yours and your organizations"),
        scope("read:project", .medium, "reads projects of yours and your organizations"),
        scope("write:discussion", .high, "reads and writes team discussions as you"),
        scope("read:discussion", .medium, "reads team discussions"),
        scope("codespace", .high, "creates and manages codespaces, which get tokens for your repositories"),
        scope("read:audit_log", .high, "reads the audit logs of your organizations"),
        scope("offline_access", .medium, "keeps access while you are not present (refresh token)"),
    ]

    private static let gitlab = [
        scope("api", .critical, "does everything that you can do: groups, projects, members, registries, keys"),
        scope("read_api", .medium, "reads everything that you can read, with groups, projects and registries"),
        scope("read_user", .low, "reads your profile and who else is on the server"),
        scope("read_repository", .medium, "clones the private repositories that you can read"),
        scope("write_repository", .high, "clones and pushes to the repositories that you can write"),
        scope("read_registry", .medium, "pulls images from private container registries"),
        scope("write_registry", .high, "pushes images to container registries"),
        scope("read_virtual_registry", .medium, "pulls packages and images through the virtual registry"),
        scope("write_virtual_registry", .high, "changes the virtual registry and its cache"),
        scope("create_runner", .high, "creates runners, which run jobs with their secrets"),
        scope("manage_runner", .high, "manages runners, which run jobs with their secrets"),
        scope("ai_features", .medium, "uses GitLab Duo as you"),
        scope("k8s_proxy", .high, "works in Kubernetes clusters through GitLab's agent as you"),
        scope("sudo", .critical, "acts as any user of the server", admin: true),
        scope("admin_mode", .critical, "does what administrators of the server can do", admin: true),
    ]

    private static let gitea = [
        scope("read:repository", .medium, "reads all repositories that you can read"),
        scope("write:repository", .high, "reads, changes, creates and deletes your repositories"),
        scope("read:user", .medium, "reads your profile, keys and settings"),
        scope("write:user", .critical, "changes your profile and settings, adds SSH keys that push as you"),
        scope("read:issue", .medium, "reads issues and pull requests"),
        scope("write:issue", .high, "writes issues and pull requests as you"),
        scope("read:organization", .low, "reads your organizations and their teams"),
        scope("write:organization", .critical, "changes your organizations: members and teams"),
        scope("read:package", .medium, "downloads packages, also private ones"),
        scope("write:package", .high, "publishes and deletes packages, which others install"),
        scope("read:notification", .medium, "reads your notifications"),
        scope("write:notification", .medium, "reads your notifications and marks them as read"),
        scope("read:admin", .high, "reads what administrators of the server can read", admin: true),
        scope("write:admin", .critical, "does what administrators of the server can do", admin: true),
    ]
}
