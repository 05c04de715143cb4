import Identity

// What sign-ins asked for and did not get, noted beside the other marks of an account. Only where the tokens do not
// tell it themselves: a client that always got what it asked for has no note, and its store looks as every other
// library's.

extension ConsentRecord {
    /// The notes of account metadata, by the number of their person.
    ///
    /// - Parameter clientID: only this client's; nil gives everybody's.
    static func all(in metadata: CacheEntries, clientID: String?, number: (CacheEntry) -> Int?) -> [Int:
        [ConsentRecord]]
    {
        let client = clientID.map { Array($0.utf8) }
        var notes: [Int: [ConsentRecord]] = [:]
        for entry in metadata
        where entry.has("asked_scopes") && client.map({ entry.isEqual("client_id", $0) }) ?? true {
            guard let note = entry.consentNote, let person = number(entry) else { continue }
            notes[person, default: []].append(note)
        }
        return notes
    }
}

extension CacheEntry {
    fileprivate var consentNote: ConsentRecord? {
        guard let clientID = filled("client_id"), let asked = text("asked_scopes") else { return nil }
        return ConsentRecord(
            clientID: clientID, realm: text("realm") ?? "", asked: ScopeSet(parsing: asked),
            declined: ScopeSet(parsing: text("declined_scopes") ?? ""))
    }
}

extension CacheEdit {
    /// Notes what a sign-in asked for, when something of it did not come, or was consented to beside the token; and
    /// what came meanwhile.
    mutating func noteConsent(_ record: TokenRecord, environment: String) {
        let account = AccountID(homeAccountID: record.homeAccountID, environment: environment, issuer: record.issuer)
        let known = marks(of: account, clientID: record.clientID).first {
            $0.has("asked_scopes") && $0.isEqualIgnoringCase("realm", record.realm)
        }
        let isTold = record.declined.isEmpty && record.asked.declined(granted: record.scopes).isEmpty
        guard !record.asked.isEmpty, known != nil || !isTold else { return }
        let before =
            known?.consentNote ?? ConsentRecord(clientID: record.clientID, realm: record.realm, asked: [], declined: [])
        let now = before.adding(asked: record.asked, granted: record.scopes, declined: record.declined)
        let fields: [Field] = [("asked_scopes", now.asked.target), ("declined_scopes", now.declined.target)]
        if let known {
            update(known, in: .accountMetadata, fields)
        } else {
            insert(
                markKey(record.clientID, record.homeAccountID, environment, "consent", record.realm),
                in: .accountMetadata,
                [
                    ("client_id", record.clientID), ("home_account_id", record.homeAccountID),
                    ("environment", environment),
                    ("issuer", record.issuer), ("realm", record.realm),
                ] + fields)
        }
    }
}
