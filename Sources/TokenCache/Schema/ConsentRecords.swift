import Identity

// Scopes that sign-ins requested but did not get, stored with the account's other metadata if the tokens do not show
// them.

extension ConsentRecord {
    /// Consent records of a client, or of all, by user number.
    static func all(in metadata: CacheEntries, clientID: String?, number: (CacheEntry) -> Int?) -> [Int:
        [ConsentRecord]]
    {
        let client = clientID.map(WantedClient.init)
        var notes: [Int: [ConsentRecord]] = [:]
        for entry in metadata
        where entry.has("asked_scopes") && client.map({ entry.isOf($0) }) ?? true {
            guard let note = entry.consentNote, let person = number(entry) else { continue }
            notes[person, default: []].append(note)
        }
        return notes
    }
}

extension CacheEntry {
    fileprivate var consentNote: ConsentRecord? {
        guard let clientID, let asked = text("asked_scopes") else { return nil }
        return ConsentRecord(
            clientID: clientID, realm: text("realm") ?? "", asked: ScopeSet(parsing: asked),
            declined: ScopeSet(parsing: text("declined_scopes") ?? ""))
    }
}

extension CacheEdit {
    /// Records the requested scopes if some were not granted or are not in the token, and later grants of them.
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
