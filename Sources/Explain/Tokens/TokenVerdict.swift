package import FoundationEssentials
import Identity

/// The most important facts about a token: its lifetime, its signature, and its risks. Used by the inspector and `foyer
/// inspect`.
package struct TokenVerdict: Hashable, Sendable {
    package enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
        case fine
        case attention
        case danger

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        package var word: String {
            switch self {
            case .fine: "fine"
            case .attention: "attention"
            case .danger: "danger"
            }
        }
    }

    package enum Finding: Hashable, Sendable {
        case expired(Date)
        case notYetValid(Date)
        /// `isSoon` if most programs would already get a new one.
        case expires(Date, isSoon: Bool)
        case noExpiry
        /// An opaque token whose server announced no end: it works until it is revoked.
        case noAnnouncedEnd
        /// Anyone could have written it, for this reason.
        case unsigned(String)
        case signature(Verification)
        /// An opaque token's acceptance by its server.
        case acceptance(Verification)
        /// The permissions of one kind with its highest risk, which is high or critical.
        case permissions(TokenPermission.Kind, ScopeMeaning.Risk, names: [String])
    }

    package let findings: [Finding]

    package var level: Level { findings.map(\.level).max() ?? .fine }
    /// Seconds before expiry when a token counts as expiring soon, as in MSAL.
    package static let soon = 300.0

    /// - Parameters:
    ///  - token: nil for an opaque token.
    ///  - expiresOn: the expiry in the store, for a token without one.
    ///  - permissions: those of an opaque token.
    package init(
        _ token: DecodedToken?, expiresOn: Date? = nil, permissions: [TokenPermission] = [], _ signature: Verification,
        at now: Date
    ) {
        var findings: [Finding] = []
        if token?.expiresAt == nil, expiresOn == .noAnnouncedEnd {
            findings.append(token == nil ? .noAnnouncedEnd : .noExpiry)
        } else if let end = token?.expiresAt ?? expiresOn {
            if end <= now {
                findings.append(.expired(end))
            } else if let start = token?.notBefore, start > now.addingTimeInterval(Self.soon) {
                findings.append(.notYetValid(start))
            } else {
                findings.append(.expires(end, isSoon: end.timeIntervalSince(now) < Self.soon))
            }
        } else if token != nil {
            findings.append(.noExpiry)
        }
        if let token {
            // A signature that cannot be verified is not left as unchecked.
            let signature =
                token.notVerifiable.map { signature == .notChecked ? .notVerifiable($0) : signature } ?? signature
            findings.append(token.unsigned.map { .unsigned($0) } ?? .signature(signature))
        } else if signature != .notChecked {
            findings.append(.acceptance(signature))
        }
        for kind in TokenPermission.Kind.allCases {
            let risky = (token?.permissions ?? permissions).filter { $0.kind == kind && ($0.risk ?? .low) >= .high }
            guard let worst = risky.compactMap(\.risk).max() else { continue }
            findings.append(.permissions(kind, worst, names: risky.filter { $0.risk == worst }.map(\.name)))
        }
        self.findings = findings
    }

    /// All findings in one line.
    ///
    /// - Parameter relative: formats a time relative to now, such as `in 58 min` or `50 min ago`.
    package func words(_ relative: (Date) -> String) -> String {
        findings.map { $0.words(relative) }.joined(separator: " · ")
    }
}

extension TokenVerdict.Finding {
    package var level: TokenVerdict.Level {
        switch self {
        case .expired, .unsigned, .permissions(_, .critical, _), .signature(.wrong), .acceptance(.rejected): .danger
        case .notYetValid, .noExpiry, .permissions, .expires(_, isSoon: true): .attention
        case .signature(.notChecked), .signature(.failed), .signature(.mayAsk), .acceptance(.failed): .attention
        case .expires, .noAnnouncedEnd, .signature, .acceptance: .fine
        }
    }

    /// A stable name for programs.
    package var code: String {
        switch self {
        case .expired: "expired"
        case .notYetValid: "notYetValid"
        case .expires(_, let isSoon): isSoon ? "expiresSoon" : "expires"
        case .noExpiry: "noExpiry"
        case .noAnnouncedEnd: "noAnnouncedEnd"
        case .unsigned: "unsigned"
        case .signature(.notChecked), .signature(.checking), .signature(.mayAsk), .signature(.failed):
            "signatureNotChecked"
        case .signature(.right): "signatureValid"
        case .signature(.wrong): "signatureInvalid"
        case .signature(.notVerifiable): "signatureNotVerifiable"
        case .signature(.accepted), .acceptance(.accepted): "accepted"
        case .signature(.rejected), .acceptance(.rejected): "rejected"
        case .acceptance: "notChecked"
        case .permissions(.scope, let risk, _): risk.word + "RiskScopes"
        case .permissions(.appRole, let risk, _): risk.word + "RiskAppRoles"
        case .permissions(.directoryRole, let risk, _): risk.word + "RiskDirectoryRoles"
        }
    }

    package func words(_ relative: (Date) -> String) -> String {
        switch self {
        case .expired(let date): "expired \(relative(date))"
        case .notYetValid(let date): "not valid yet, valid \(relative(date))"
        case .expires(let date, _): "expires \(relative(date))"
        case .noExpiry: "no expiry"
        case .noAnnouncedEnd: TimeSpan.end(.noAnnouncedEnd, relative)
        case .unsigned(let why): "unsigned (\(why))"
        case .signature(.notVerifiable): "signature: only its resource can check it"
        case .signature(let verification): verification.words
        case .acceptance(let answer): answer.opaqueWords
        case .permissions(.directoryRole, _, let names): Self.listed(names)
        case .permissions(let kind, let risk, let names):
            (risk == .critical ? "critical " : "high-risk ") + kind.word + (names.count == 1 ? "" : "s")
        }
    }

    private static func listed(_ names: [String]) -> String {
        names.prefix(2).joined(separator: ", ") + (names.count > 2 ? " and \(names.count - 2) more" : "")
    }
}

extension DecodedToken {
    /// The reason that anyone could have written the token; nil if it is signed.
    static func unsigned(_ token: DecodedJWT) -> String? {
        guard let algorithm = token.header.string("alg"), !algorithm.isEmpty else { return "no alg" }
        if algorithm.asciiLowercased == "none" { return "alg none" }
        return token.signature.isEmpty ? "empty signature" : nil
    }
}
