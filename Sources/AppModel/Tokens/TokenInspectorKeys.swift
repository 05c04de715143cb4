package import Identity
import Keys

extension TokenInspector: Feature {
    package static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .inspector, "Tokens",
                [KeyBinding([.enter, .right, .character("l")], .open, "read", "read the token's details")] + views
                    + secrets
                    + KeyBinding.listing + [
                        KeyBinding([.character("s")], .scopes, "scopes", "what each client was granted")
                    ] + exporting
                    + KeyBinding.closing + KeyBinding.finding + tools + KeyBinding.everywhere),
            KeyTable(
                .tokenDetails, "One token",
                views + secrets + exporting + KeyBinding.reading(tools) + KeyBinding.closing + KeyBinding.everywhere),
        ]
    }

    private static let views = [
        KeyBinding([.tab], .nextView, "view", "next view: claims, times, raw, the entry in the store"),
        KeyBinding([.character(" ")], .choose, "", "mark the token, to compare another with it"),
        KeyBinding([.character("d")], .difference, "compare", "compare the token with the marked one"),
        KeyBinding([.character("p")], .pasteToken, "paste", "paste a token to inspect it; it is not stored"),
    ]

    private static let exporting = [
        KeyBinding([.character("E")], .export, "", "write header and claims as JSON into a file"),
        KeyBinding([.character("C")], .copyClaims, "", "copy header and claims as JSON to the clipboard"),
    ]

    private static let secrets = [
        KeyBinding([.character("v")], .verify, "verify", "fetch the issuer's keys and check the signature"),
        KeyBinding([.character("R")], .reveal, "", "show the token itself for ten seconds, or hide it"),
        KeyBinding([.character("Y")], .copySecret, "", "copy the token itself to the clipboard"),
    ]

    package var keyContext: KeyContext { prompt != nil ? .line : isReading ? .tokenDetails : .inspector }

    package func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .difference: marked != nil
        case .export, .copyClaims, .verify: chosen(in: context).flatMap(Self.decoded) != nil
        default: true
        }
    }

    // MARK: The list

    package func title(in context: Context) -> String {
        account.map { "tokens of " + context.name(of: $0) } ?? "pasted tokens"
    }

    package var searchScope: SearchScope { prompt != nil ? .nothing : isReading ? .text : .rows }
    package func selectedRow(in context: Context) -> Int { selected }
    package var rowName: String { "token" }
    package var isReadingRow: Bool { isReading }

    package func rows(in context: Context) -> [String]? {
        credentials(in: context).map {
            [
                context.clientName($0.clientID), $0.words, Self.status($0, in: context).words, $0.realm,
                $0.scopes.description,
            ]
            .joined(separator: " ")
        }
    }

    /// How long it lives, by sign and by word.
    package static func status(_ credential: CachedCredential, in context: Context) -> (
        sign: Sign, words: String, tone: Tone
    ) {
        let clock = context.clock
        guard credential.kind == .accessToken else {
            let family = credential.familyID.flatMap { $0.isEmpty ? nil : "of family " + $0.prefix(20) }
            return (.bullet, credential.kind == .refreshToken ? family ?? "stored" : "identity", .muted)
        }
        guard let end = credential.expiresOn else { return (.empty, "end unknown", .danger) }
        if end <= context.now { return (.empty, "expired " + clock.relative(end), .danger) }
        return credential.isFresh(at: context.now) || credential.isPasted
            ? (.full, "expires " + clock.relative(end), .ok) : (.half, "expires " + clock.relative(end), .attention)
    }
}

extension CachedCredential.Kind {
    var order: Int {
        switch self {
        case .accessToken: 0
        case .refreshToken: 1
        case .idToken: 2
        }
    }
}

extension CachedCredential {
    package var isPasted: Bool { clientID == TokenInspector.nobody && homeAccountID == nil }

    /// What it is, for a person: a token that is bound to a key is told apart.
    package var words: String {
        switch kind {
        case _ where isPasted: "token"
        case .accessToken: tokenType.asciiLowercased == "bearer" ? "access token" : "\(tokenType) token"
        case .refreshToken: "refresh token"
        case .idToken: "ID token"
        }
    }
}
