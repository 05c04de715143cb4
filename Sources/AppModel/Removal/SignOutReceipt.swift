package import FoundationEssentials
package import Identity

/// The results of sign-outs, in the same words on the screen and on the command line.
package struct SignOutReceipt: Equatable, Sendable {
    /// Raw values are part of `--json` output.
    package enum State: String, Hashable, Sendable {
        case signedOut
        /// The provider has yet to revoke a token, which is kept only for that.
        case signingOut
        case failed, notStarted
    }

    package struct Row: Equatable, Sendable {
        package let account: Account
        /// The client's name; of every client for a wipe.
        package let client: String
        package let outcome: SignOutOutcome?
        package let failure: Failure?

        package init(_ account: Account, client: String, outcome: SignOutOutcome? = nil, failure: Failure? = nil) {
            (self.account, self.client, self.outcome, self.failure) = (account, client, outcome, failure)
        }

        package var state: State {
            guard let outcome else { return failure == nil ? .notStarted : .failed }
            return outcome.isFinished ? .signedOut : .signingOut
        }

        /// Whether the provider revoked the tokens, or why not.
        package var revoked: String {
            switch outcome?.revoked {
            case .done: "yes"
            case .opened, .notOffered: "not offered"
            case .failed(let why): "no: \(why)"
            case nil: ""
            }
        }

        /// Whether the entries are gone from the store.
        package var removed: String {
            switch state {
            case .signedOut: "yes"
            case .signingOut: "kept to revoke"
            case .failed: failure.map { "no: \($0.message)" } ?? "no"
            case .notStarted: "not started"
            }
        }

        /// The tokens that remain valid, until when, and where the person can end them; nil without a sign-out.
        ///
        /// - Parameter time: the words for a moment.
        package func stillValid(_ time: (Date) -> String) -> String? {
            guard let outcome else { return nil }
            var parts = outcome.accessTokensExpire.map { ["access tokens until \(time($0))"] } ?? []
            if !outcome.isFinished { parts.append("refresh token, until it is revoked") }
            if let page = outcome.grantPage { parts.append("end it: \(page.text)") }
            return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
        }
    }

    package let rows: [Row]
    /// Programs in whose own stores the same people are still signed in, with the number of accounts.
    package let elsewhere: [(program: String, count: Int)]
    let at: Date

    package init(_ rows: [Row], elsewhere: [(program: String, count: Int)] = [], at: Date) {
        (self.rows, self.elsewhere, self.at) = (rows, elsewhere, at)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.rows == other.rows && one.at == other.at
            && one.elsewhere.elementsEqual(other.elsewhere) { $0.program == $1.program && $0.count == $1.count }
    }

    package func count(_ state: State) -> Int { rows.count { $0.state == state } }

    /// Such as `7 signed out, 1 signing out, 4 not started`.
    package var summary: String {
        let parts: [(State, String)] = [
            (.signedOut, "signed out"), (.signingOut, "signing out"), (.failed, "failed"), (.notStarted, "not started"),
        ]
        return parts.compactMap { state, words in count(state) == 0 ? nil : "\(count(state)) \(words)" }
            .joined(separator: ", ")
    }

    /// Such as `still signed in to other programs: az 1, gh 1`; nil if they are not.
    package var elsewhereLine: String? {
        guard !elsewhere.isEmpty else { return nil }
        return "still signed in to other programs: "
            + elsewhere.map { "\($0.program) \($0.count)" }.joined(separator: ", ")
    }

    /// A file's content: times are in UTC, with one paragraph for each account.
    package var text: String {
        var lines = ["sign-out at \(Self.utc(at)): \(summary)"]
        for row in rows {
            lines += ["", "\(row.account.label), \(row.client)", "  id: \(row.account.homeAccountID)"]
            lines += ["  provider: \(row.account.provider)", "  state: \(row.state.rawValue)"]
            if row.outcome != nil { lines.append("  revoked: \(row.revoked)") }
            lines.append("  removed: \(row.removed)")
            if let valid = row.stillValid(Self.utc) { lines.append("  still valid: \(valid)") }
        }
        if let elsewhereLine { lines += ["", elsewhereLine] }
        return lines.map(Self.plain).joined(separator: "\n") + "\n"
    }

    private static func utc(_ time: Date) -> String { time.formatted(.iso8601) }

    /// Without control characters and direction marks, which a name from outside may contain.
    private static func plain(_ line: String) -> String {
        let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        return String(
            String.UnicodeScalarView(line.unicodeScalars.filter { !hidden.contains($0.properties.generalCategory) }))
    }

    /// A name for a new file.
    package static func fileName(at now: Date) -> String {
        "foyer-sign-out-" + utc(now).filter { $0 != ":" && $0 != "-" } + ".txt"
    }
}

/// When one key is too little to agree to a removal of several.
package enum BulkConfirmation {
    /// With more sign-ins than this, a word is typed.
    package static let mostByKey = 20
    /// The word before a sign-out.
    package static let signOut = "sign out"
}

extension BulkRemoval {
    /// With the other programs' stores as last read.
    func receipt(in context: Context) -> SignOutReceipt {
        let people = Set(targets.map(\.account.id))
        var programs: [(program: String, count: Int)] = []
        for row in context.accounts.accounts where row.store != nil && people.contains(row.account.id) {
            let name = row.store?.program ?? ""
            if let place = programs.firstIndex(where: { $0.program == name }) {
                programs[place].count += 1
            } else {
                programs.append((name, 1))
            }
        }
        return SignOutReceipt(
            targets.map { target in
                let client = choices.wipes ? "every client" : target.use.shownName
                return switch target.phase {
                case .signedOut(let outcome): .init(target.account, client: client, outcome: outcome)
                case .failed(let failure): .init(target.account, client: client, failure: failure)
                case .waiting, .removed, .removedElsewhere: .init(target.account, client: client)
                }
            }, elsewhere: programs, at: context.now)
    }
}
