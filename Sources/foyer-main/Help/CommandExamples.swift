/// Command lines for the help of the commands that one uses daily, each with its purpose.
enum CommandExamples {
    /// By the command's words after `foyer`.
    static let all: [String: [(line: String, purpose: String)]] = [
        "token": [
            ("foyer token --client work", "a token from the cache, or a new one"),
            ("foyer token --silent --json", "for a script: never prompts"),
            ("foyer token --dry-run", "what a silent call would do, and why"),
        ],
        "sign-in": [
            ("foyer sign-in --client azure-cli", "with a browser, else a device code"),
            ("foyer sign-in --client work --via device", "with a code for another screen"),
            ("foyer sign-in github.com --client-id Ov23li", "at GitHub, with your own client"),
        ],
        "accounts": [
            ("foyer accounts", "who is signed in, offline"),
            ("foyer accounts --needs-sign-in", "only those who have to sign in"),
            ("foyer accounts --all-stores --json", "other programs' accounts too, for scripts"),
        ],
        "tokens": [
            ("foyer tokens", "cached tokens by client, with their IDs"),
            ("foyer tokens --client work", "those of one client"),
            ("foyer tokens --json", "for scripts"),
        ],
        "inspect": [
            ("foyer inspect c41e-a107", "a cached token, by its ID or the start of it"),
            ("foyer inspect -", "a token from standard input"),
            ("foyer inspect c41e --json", "its claims, for scripts"),
        ],
        "scopes": [
            ("foyer scopes", "what each client was granted"),
            ("foyer scopes --account ada@contoso.example", "what one account granted"),
            ("foyer scopes --json", "for scripts"),
        ],
        "sign-out": [
            ("foyer sign-out ada@contoso.example", "from one client: revoke, remove, end the session"),
            ("foyer sign-out ada@contoso.example --wipe", "from every client"),
            ("foyer sign-out ada@contoso.example --from azure-cli", "from another program's store"),
        ],
        "remove": [
            ("foyer remove ada@contoso.example", "from one client, offline"),
            ("foyer remove ada@contoso.example --wipe", "from every client"),
            ("foyer remove ada@contoso.example --from azure-cli", "from another program's store"),
        ],
        "use": [
            ("foyer use", "what is used if nothing is named, and where it is set"),
            ("foyer use ada@contoso.example", "the lines that set it in this shell, for eval"),
            ("foyer use ada@contoso.example --client work --here", "in this folder, also for other programs"),
        ],
        "run": [
            ("foyer run -- terraform plan", "a program of an Azure SDK, with your tokens"),
            ("foyer run --account ada@contoso.example -- python3 job.py", "as one account"),
            ("foyer run --aws-role arn:aws:iam::123456789012:role/me -- aws s3 ls", "with a role at AWS"),
        ],
        "setup": [
            ("foyer setup", "what can be set up, and what is"),
            ("foyer setup git", "shows the change, and asks"),
            ("foyer setup git --undo", "undoes it"),
        ],
        "why": [
            ("foyer why git https://dev.azure.com/contoso/x", "which account git gets there"),
            ("foyer why kubectl", "for the cluster of the current context"),
            ("foyer why --recent", "which programs got which tokens"),
        ],
        "id-token": [
            ("foyer id-token --client lab", "the ID token of the last sign-in"),
            ("foyer id-token --client lab --json", "with its expiry, for scripts"),
            ("foyer id-token --client lab --force-refresh", "a new one"),
        ],
        "store": [
            ("foyer store", "where tokens are stored, and how protected"),
            ("foyer store move --to keyring", "into the session's keyring"),
            ("foyer store move --to encrypted:~/.local/share/foyer/store", "into an encrypted file"),
        ],
        "doctor": [
            ("foyer doctor", "problems, and how to fix them"),
            ("foyer doctor --client work", "those of one client"),
            ("foyer doctor --json", "for scripts"),
        ],
    ]

    /// The section of the help, its purposes in a column of their own where there is room.
    static func section(_ command: String, width: Int) -> String? {
        guard let examples = all[command] else { return nil }
        let longest = examples.map(\.line.count).max() ?? 0
        let lines = examples.map { line, purpose in
            let space = String(repeating: " ", count: longest - line.count + 2)
            let isRoomy = 2 + longest + 2 + (examples.map(\.purpose.count).max() ?? 0) <= width
            return isRoomy ? "  " + line + space + purpose : "  " + line + "\n      " + purpose
        }
        return (["EXAMPLES:"] + lines).joined(separator: "\n")
    }
}
