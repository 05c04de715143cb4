import Identity
import StrictJSON
import Testing

@testable import TokenCache

@Suite struct ConsentRecordTests {
    private func record(_ scopes: ScopeSet, asked: ScopeSet, declined: ScopeSet = []) -> TokenRecord {
        var record = World.record()
        record.scopes = scopes
        record.asked = asked
        record.declined = declined
        return record
    }

    @Test func `What was declined is noted, and is known when the store is read again`() throws {
        let store = try Store()
        try store.cache.save(record(["User.Read"], asked: ["User.Read", "Mail.Send"], declined: ["Mail.Send"]))
        let note = try #require(store.cache.read().overviews().first?.consent.first)
        #expect(note.clientID == World.ownClient && note.realm == World.homeTenant)
        #expect(note.asked == ["User.Read", "Mail.Send"] && note.declined == ["Mail.Send"])
    }

    @Test func `Who got everything leaves no note, so that the store stays as other libraries write it`() throws {
        let store = try Store()
        try store.cache.save(record(["User.Read"], asked: ["User.Read"]))
        #expect(try store.json()["AccountMetadata"] == nil)
        #expect(try store.cache.read().overviews().first?.consent.isEmpty == true)
    }

    @Test func `What was consented to beside the token is noted`() throws {
        let store = try Store()
        try store.cache.save(record(["User.Read"], asked: ["User.Read", "https://vault.azure.net/user_impersonation"]))
        let note = try #require(store.cache.read().overviews().first?.consent.first)
        #expect(note.asked.contains("https://vault.azure.net/user_impersonation") && note.declined.isEmpty)
    }

    @Test func `A later grant takes the scope out of what was declined, in one note and not in two`() throws {
        let store = try Store()
        try store.cache.save(record(["User.Read"], asked: ["User.Read", "Mail.Send"], declined: ["Mail.Send"]))
        try store.cache.save(record(["User.Read", "Mail.Send"], asked: ["Mail.Send"]))
        let notes = try store.cache.read().overviews().first?.consent ?? []
        #expect(notes.count == 1 && notes.first?.declined.isEmpty == true)
    }

    @Test func `A removed account takes its notes along, and other clients' stay`() throws {
        let store = try Store()
        let first = record(["User.Read"], asked: ["User.Read", "Mail.Send"], declined: ["Mail.Send"])
        try store.cache.save(first)
        var other = first
        other.clientID = World.azureCLI
        try store.cache.save(other)
        let account = AccountID(homeAccountID: first.homeAccountID, environment: first.environment)
        _ = try store.cache.forget(account, clientID: World.ownClient)
        #expect(try store.cache.read().overviews().first?.consent.map(\.clientID) == [World.azureCLI])
        _ = try store.cache.wipe(account)
        #expect(try !String(decoding: store.bytes(), as: UTF8.self).contains("asked_scopes"))
    }

    @Test func `The entry behind a token shows every field and no secret`() throws {
        let store = try Store(fixture: "msal_unknown_fields")
        let snapshot = try store.cache.read()
        let credentials = snapshot.credentials()
        #expect(!credentials.isEmpty)
        for credential in credentials {
            let text = try #require(MaskedEntry.text(of: credential, in: snapshot))
            #expect(!text.contains(credential.secret.reveal()))
            #expect(text.contains("\"secret\": \"(\(credential.secret.count) bytes, hidden)\""))
            #expect(
                text.contains("\"client_id\": \"\(credential.clientID)\"")
                    && text.contains("\"\(credential.kind.rawValue)\""))
        }
        var gone = try #require(credentials.first)
        gone.id = "nobody"
        #expect(MaskedEntry.text(of: gone, in: snapshot) == nil)
    }

    @Test func `A token that another program keeps in a field of its own is not shown`() throws {
        let text =
            #"{"AccessToken":{"k":{"secret":"s3cret","client_id":"c","environment":"e","home_account_id":"h","odd":"\#(String(repeating: "x", count: 60))","proof_token":"abc","note":"short"}}}"#
        let store = try Store(Array(text.utf8))
        let snapshot = try store.cache.read()
        let credential = try #require(snapshot.credentials().first)
        let entry = try #require(MaskedEntry.text(of: credential, in: snapshot))
        #expect(!entry.contains("s3cret") && !entry.contains("xxxx") && !entry.contains("abc"))
        #expect(entry.contains("(60 bytes, hidden)") && entry.contains("\"note\": \"short\""))
    }
}
