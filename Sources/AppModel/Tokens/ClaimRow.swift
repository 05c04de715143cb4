import Explain
import FoundationEssentials
import Identity

/// A claim with its name, value, and meaning in this token.
struct ClaimRow: Equatable, Sendable {
    var name: String
    var value: String
    var meaning: String
    var tone: Tone
    /// Whether its meaning changes with time.
    var isMoving = false
    /// Nested values with their depth.
    var parts: [Part] = []
    var permissions: [TokenPermission] = []

    struct Part: Equatable, Sendable {
        var name: String
        var value: String
        /// 1 for a direct part of the claim.
        var depth: Int
    }
}

/// Context for explaining a token's claims.
struct ClaimReader {
    let token: DecodedToken
    let clock: Clock
    let clientName: (String) -> String?
    let tenantName: (String) -> String?

    /// The claims in the order of the token. Two related claims share a row while their values are equal.
    var rows: [ClaimRow] {
        var rows: [ClaimRow] = []
        for line in token.claims {
            guard line.depth == 0 else {
                let value = line.value.words(clock.full)
                if !rows.isEmpty {
                    rows[rows.count - 1].parts.append(.init(name: line.name, value: value, depth: line.depth))
                }
                continue
            }
            let row = row(line)
            if let twin = Self.twins[line.name],
                let place = rows.firstIndex(where: { $0.name == twin && $0.value == row.value })
            {
                rows[place].name += " " + line.name
            } else {
                rows.append(row)
            }
        }
        return rows
    }

    private static let twins = ["nbf": "iat", "iat": "nbf", "azp": "appid", "appid": "azp"]

    var header: ClaimRow {
        let lines = token.header.filter { $0.depth == 0 }
        // The algorithm is the most important part.
        let value = (lines.filter { $0.name == "alg" } + lines.filter { $0.name != "alg" }).map { line in
            let words = line.value.words(clock.full)
            return line.name == "alg" ? words : "\(line.name) \(words)"
        }
        let isSigned = token.unsigned == nil
        return ClaimRow(
            name: "header", value: value.joined(separator: " · "),
            meaning: token.unsigned.map { "unsigned (\($0)): can be forged" } ?? "signature algorithm",
            tone: isSigned ? .text : .danger)
    }

    private func row(_ line: ClaimLine) -> ClaimRow {
        var row = ClaimRow(
            name: line.name, value: line.value.words(clock.full),
            meaning: line.meaning ?? "", tone: .text)
        if case .time(let date) = line.value { tell(date, of: line.name, &row) }
        switch line.name {
        case "aud":
            let resource = ScopeMeaning.resourceName(row.value)
            if let client = clientName(row.value) {
                row.meaning = "for: the client \(client)"
            } else if resource != row.value {
                row.meaning = "for: \(resource)"
            }
        case "iss": if let tenant = token.tenantID.flatMap(tenantName) { row.meaning = "issuer: \(tenant)" }
        case "tid": if let tenant = tenantName(row.value) { row.meaning = "tenant \(tenant)" }
        case "appid", "azp", "client_id": if let name = clientName(row.value) { row.meaning = "the client \(name)" }
        case "azpacr", "appidacr":
            row.meaning =
                switch row.value {
                case "0": "public client, no secret"
                case "1": "the client's secret"
                case "2": "the client's certificate"
                default: row.meaning
                }
        case "scp", "scope": add(.scope, &row)
        case "roles": add(.appRole, &row)
        case "wids": add(.directoryRole, &row)
        default: break
        }
        return row
    }

    private func tell(_ date: Date, of name: String, _ row: inout ClaimRow) {
        row.isMoving = true
        let (relative, isPast) = (clock.relative(date), date <= clock.now)
        switch name {
        case "exp":
            row.meaning = (isPast ? "expired " : "expires ") + relative
            row.tone = isPast ? .danger : clock.seconds(until: date) < Int(TokenVerdict.soon) ? .attention : .text
        case "nbf":
            row.meaning = isPast ? "valid since \(relative)" : "not valid yet, valid \(relative)"
            row.tone = isPast ? .text : .attention
        case "iat": row.meaning = "issued \(relative)"
        default: row.meaning = [row.meaning, relative].filter { !$0.isEmpty }.joined(separator: ", ")
        }
    }

    /// Names the risky permissions, as many as fit.
    private func add(_ kind: TokenPermission.Kind, _ row: inout ClaimRow) {
        row.permissions = token.permissions.filter { $0.kind == kind }
        let risky = row.permissions.filter { ($0.risk ?? .low) >= .high }
        row.tone = risky.first?.risk?.tone ?? .text
        if kind == .directoryRole {
            let known = row.permissions.filter { $0.sentence != nil }.map(\.name)
            if !known.isEmpty { row.meaning = known.joined(separator: ", ") }
        } else if let worst = risky.first, let risk = worst.risk {
            row.meaning = "\(risk.word) risk: " + risky.map(\.name).joined(separator: ", ")
        } else {
            row.meaning = kind == .scope ? "scopes, see above" : "app roles granted"
        }
    }
}
