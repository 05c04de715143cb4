package import Identity

/// The kind of an opaque token, from its vendor's prefix alone. Anyone can write a prefix, so it is only a description.
package enum TokenPrefix {
    /// Lower case, without a final period; nil for an unknown prefix.
    package static func words(of token: Secret) -> String? {
        let text = token.reveal()
        return known.first { text.hasPrefix($0.prefix) }?.words
    }

    /// docs.github.com (authentication to GitHub), docs.gitlab.com (token overview), docs.slack.dev (tokens),
    /// developers.google.com (OAuth 2.0, token formats); read 2026-11. Longer prefixes come first.
    static let known: [(prefix: String, words: String)] = [
        ("github_pat_", "GitHub personal access token, fine-grained"),
        ("gho_", "GitHub token of an OAuth app, for a user; works until it is revoked"),
        ("ghu_", "GitHub token of a GitHub App, for a user; usually for 8 hours"),
        ("ghs_", "GitHub token of a GitHub App's installation, without a user; for an hour"),
        ("ghr_", "GitHub refresh token of a GitHub App; for six months or one use"),
        ("ghp_", "GitHub personal access token, classic"),
        ("glpat-", "GitLab personal, project or group access token"), ("gldt-", "GitLab deploy token"),
        ("glrt-", "GitLab runner token"), ("glcbt-", "GitLab CI/CD job token"),
        ("xoxe.xoxp-", "Slack token for a user, with rotation"), ("xoxe.xoxb-", "Slack token of a bot, with rotation"),
        ("xoxe-", "Slack refresh token"), ("xoxp-", "Slack token for a user"), ("xoxb-", "Slack token of a bot"),
        ("xapp-", "Slack token of an app, for connections"), ("ya29.", "Google access token; for an hour"),
        ("1//", "Google refresh token"),
    ]
}
