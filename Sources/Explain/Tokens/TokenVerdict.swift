package import FoundationEssentials
import Identity

/// What somebody should know of a token before anything else: its time, its signature, and what is dangerous in it. The
/// same for the inspector and for `foyer inspect`.
package struct TokenVerdict: Hashable, Sendable {
    package enum Level: Int, Hashable, Sendable, Comparable, CaseIterable {
        case fine
        /// Somebody should look.
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
        /// And whether it is so soon that most programs take a new one already.
        case expires(Date, isSoon: Bool)
        case noExpiry
        /// Anybody can have written it: why.
        case unsigned(String)
        case signature(Verification)
        /// Those of one kind with the highest risk that any of them has: high or critical.
        case permissions(TokenPermission.Kind, ScopeMeaning.Risk, names: [String])
    }

    /// Time, signature, permissions.
    package let findings: [Finding]

    package var level: Level { findings.map(\.level).max() ?? .fine }
    /// Seconds before the end from which a token is about to expire; MSAL's own.
    package static let soon = 300.0

    /// - Parameters:
    ///   - token: nil for a token that is opaque.
    ///   - expiresOn: what the store records, for a token that does not say it.
    package init(_ token: DecodedToken?, expiresOn: Date? = nil, _ signature: Verification, at now: Date) {
        var findings: [Finding] = []
        if let end = token?.expiresAt ?? expiresOn {
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
            // What nobody can check waits for nobody's check.
            let signature =
                token.notVerifiable.map { signature == .notChecked ? .notVerifiable($0) : signature } ?? signature
            findings.append(token.unsigned.map { .unsigned($0) } ?? .signature(signature))
            for kind in TokenPermission.Kind.allCases {
                let risky = token.permissions.filter { $0.kind == kind && ($0.risk ?? .low) >= .high }
                guard let worst = risky.compactMap(\.risk).max() else { continue }
                findings.append(.permissions(kind, worst, names: risky.filter { $0.risk == worst }.map(\.name)))
            }
        }
        self.findings = findings
    }

    /// All of it in one line.
    ///
    /// - Parameter relative: a time from now, as `in 58 min` or `50 min ago`.
    package func words(_ relative: (Date) -> String) -> String {
        findings.map { $0.words(relative) }.joined(separator: " · ")
    }
}

extension TokenVerdict.Finding {
    package var level: TokenVerdict.Level {
        switch self {
        case .expired, .unsigned, .permissions(_, .critical, _), .signature(.wrong): .danger
        case .notYetValid, .noExpiry, .permissions, .expires(_, isSoon: true): .attention
        case .signature(.notChecked), .signature(.failed), .signature(.mayAsk): .attention
        case .expires, .signature(.right), .signature(.checking), .signature(.notVerifiable): .fine
        }
    }

    /// A stable name for programs.
    package var code: String {
        switch self {
        case .expired: "expired"
        case .notYetValid: "notYetValid"
        case .expires(_, let isSoon): isSoon ? "expiresSoon" : "expires"
        case .noExpiry: "noExpiry"
        case .unsigned: "unsigned"
        case .signature(.notChecked), .signature(.checking), .signature(.mayAsk), .signature(.failed):
            "signatureNotChecked"
        case .signature(.right): "signatureValid"
        case .signature(.wrong): "signatureInvalid"
        case .signature(.notVerifiable): "signatureNotVerifiable"
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
        case .unsigned(let why): "unsigned (\(why))"
        case .signature(.notVerifiable): "signature: only its resource can check it"
        case .signature(let verification): verification.words
        case .permissions(.directoryRole, _, let names): Self.listed(names)
        case .permissions(let kind, let risk, let names):
            (risk == .critical ? "critical " : "high-risk ") + kind.word + (names.count == 1 ? "" : "s")
        }
    }

    /// The first two, and how many more.
    private static func listed(_ names: [String]) -> String {
        names.prefix(2).joined(separator: ", ") + (names.count > 2 ? " and \(names.count - 2) more" : "")
    }
}

extension DecodedToken {
    /// Why anybody can have written the token; nil where it is signed.
    static func unsigned(_ token: DecodedJWT) -> String? {
        guard let algorithm = token.header.string("alg"), !algorithm.isEmpty else { return "no alg" }
        if algorithm.asciiLowercased == "none" { return "alg none" }
        return token.signature.isEmpty ? "empty signature" : nil
    }
}
