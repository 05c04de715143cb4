import FoundationEssentials
import Identity
import StrictJSON
import SystemPackage
import Testing

@testable import TokenCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite struct KnownStoresTests {
    private func sources(_ home: String, _ values: [String: String] = [:]) -> [String: StoreSource] {
        let sources = KnownPlaces(home: home) { values[$0] }.sources
        return Dictionary(sources.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// A home folder with a fixture at the Azure CLI's place.
    private func azure(_ fixture: String) throws -> (store: Store, source: StoreSource) {
        let store = try Store(fixture: fixture, name: "msal_token_cache.json")
        let source = try #require(sources("/nonexistent", ["AZURE_CONFIG_DIR": store.folder])["azure-cli"])
        return (store, source)
    }

    @Test func `Each program is looked for where its own settings say, and a relative folder counts as unset`() {
        let known = sources("/home/ada")
        #expect(known["azure-cli"]?.place == "/home/ada/.azure/msal_token_cache.json")
        #expect(known["azd"]?.place == "/home/ada/.azd/auth/msal/cache.json")
        #expect(known["azure-identity-nocae"]?.place == "/home/ada/.IdentityService/msal.cache.nocae")
        #expect(known["azure-powershell"]?.place == "/home/ada/.local/share/.IdentityService/msal.cache")
        let moved = sources(
            "/home/ada", ["AZURE_CONFIG_DIR": "/srv/az", "AZD_CONFIG_DIR": "relative", "XDG_DATA_HOME": "/srv/data"])
        #expect(
            moved["azure-cli"]?.place == "/srv/az/msal_token_cache.json"
                && moved["azure-cli"]?.profile == "/srv/az/azureProfile.json")
        #expect(moved["azd"]?.place == "/home/ada/.azd/auth/msal/cache.json")
        #expect(moved["azure-powershell-cae"]?.place == "/srv/data/.IdentityService/msal.cache.cae")
        #expect(known.values.allSatisfy { !$0.mayWrite })
    }

    @Test func `A store of another program is read without leaving anything beside it`() throws {
        let (store, source) = try azure("msal_many")
        let finding = source.look(hasSession: false)
        #expect(finding.isUsable && finding.spec == .file(path: store.path))
        #expect(finding.snapshot.accounts(clientID: nil).count > 1)
        #expect(store.names == ["msal_token_cache.json"])
    }

    @Test(arguments: [
        ("hostile_array", StoreProbe.Availability.refused(why: "", hint: nil)),
        ("hostile_truncated", .refused(why: "", hint: nil)),
        ("hostile_invalid_utf8", .refused(why: "", hint: nil)), ("hostile_empty", .empty),
    ])
    func `What is no cache is refused with the reason, and never written`(
        _ fixture: String, _ expected: StoreProbe.Availability
    )
        throws
    {
        let (store, source) = try azure(fixture)
        let before = try store.bytes()
        switch (source.look(hasSession: false).availability, expected) {
        case (.refused(let why, _), .refused): #expect(why.contains(store.path))
        case (let found, let expected): #expect(found == expected)
        }
        #expect(try store.bytes() == before && store.names == ["msal_token_cache.json"])
    }

    @Test func `A file that others may write is refused with its mode, and one that is missing is not there`() throws {
        let (store, source) = try azure("msal_one_account")
        try store.write(store.bytes(), mode: 0o666)
        guard case .refused(let why, let hint) = source.look(hasSession: false).availability else {
            Issue.record("it was taken")
            return
        }
        #expect(why.contains("0666") && hint?.description.contains("chmod") == true)
        #expect(sources("/nonexistent")["azd"]?.look(hasSession: false).availability == .absent)
    }

    @Test func `Without a session no keyring is asked, and what is sealed says by what`() throws {
        let store = try Store([], name: "msal_token_cache.bin")
        let source = try #require(sources("/nonexistent", ["AZURE_CONFIG_DIR": store.folder])["azure-cli-keyring"])
        guard case .protected(let protection) = source.look(hasSession: false).availability else {
            Issue.record("it is not protected")
            return
        }
        #expect(protection.contains("keyring"))
    }

    // MARK: Removal

    @Test func `Nothing is removed from a store that is read-only`() throws {
        let (store, source) = try azure("msal_one_account")
        let before = try store.bytes()
        let finding = source.look(hasSession: false)
        let account = try #require(finding.snapshot.accounts(clientID: nil).first)
        #expect(throws: StoreProbe.RemovalError.self) { _ = try finding.remove(account, clientID: World.azureCLI) }
        #expect(try store.bytes() == before && store.names == ["msal_token_cache.json"])
    }

    @Test func `An account leaves the Azure CLI with its subscriptions, and nobody else loses anything`() throws {
        let (store, found) = try azure("msal_many")
        var source = found
        source.mayWrite = true
        try store.write(Fixture.bytes("azureProfile"), to: store.folder + "/azureProfile.json")
        let finding = source.look(hasSession: false)
        let account = try #require(finding.snapshot.accounts(clientID: nil).first { $0.homeAccountID == World.alice })
        let others = finding.snapshot.credentials().filter {
            $0.homeAccountID != World.alice || !Cloud.isSame($0.environment, account.environment)
        }
        let removal = try finding.remove(account, clientID: World.azureCLI)
        #expect(removal.entries > 0)
        let after = source.look(hasSession: false).snapshot
        #expect(!after.accounts(clientID: nil).contains { $0.id == account.id })
        #expect(Set(others).isSubset(of: Set(after.credentials())))
        // Of the person herself only what MSAL would leave: refresh tokens of other clients that are not of the family.
        let left = after.credentials().filter {
            $0.homeAccountID == World.alice && Cloud.isSame($0.environment, account.environment)
        }
        #expect(left.allSatisfy { $0.kind == .refreshToken && $0.familyID == nil && $0.clientID != World.azureCLI })
        let profile = try #require(try AzureProfile(path: store.folder + "/azureProfile.json"))
        #expect(profile.count(of: [account.username]) == 0)
        #expect(store.names == ["azureProfile.json", "msal_token_cache.json"])
    }

    /// The Azure CLI's folder with a profile, its store open for writing, and one account of it.
    private func writableAzure() throws -> (store: Store, finding: StoreProbe, account: Account, profile: String) {
        let (store, found) = try azure("msal_many")
        var source = found
        source.mayWrite = true
        let profile = store.folder + "/azureProfile.json"
        try store.write(Fixture.bytes("azureProfile"), to: profile)
        let finding = source.look(hasSession: false)
        return (
            store, finding,
            try #require(finding.snapshot.accounts(clientID: nil).first { $0.homeAccountID == World.alice }), profile
        )
    }

    @Test func `No subscription goes while the token store is locked, or when it cannot be read or written`() throws {
        let (store, finding, account, profile) = try writableAzure()
        let before = try store.bytes(profile)
        func trouble() throws -> StoreError.Situation {
            do throws(StoreProbe.RemovalError) { _ = try finding.remove(account, clientID: World.azureCLI) } catch {
                if case .store(let error) = error { return error.situation }
            }
            throw CancellationError()
        }
        try store.write(Array("1 python".utf8), to: store.path + ".lockfile")
        #expect(try trouble() == .locked(pid: 1, name: "python"))
        #expect(try store.bytes(profile) == before)
        unlink(store.path + ".lockfile")
        // Nothing can be written aside where a folder has the name; by then the subscriptions have gone, and come back.
        let obstacle = "\(store.path).tmp.\(getpid())"
        mkdir(obstacle, 0o700)
        #expect(try trouble() == .io(.fileExists, operation: "create"))
        #expect(try store.bytes(profile) == before)
        rmdir(obstacle)
        try store.write(Array("{".utf8))
        guard case .notJSON = try trouble() else { throw CancellationError() }
        #expect(try store.bytes(profile) == before)
        #expect(store.names == ["azureProfile.json", "msal_token_cache.json"])
    }

    @Test func `Of several that write the profile of the Azure CLI at once none undoes what another did`() async throws
    {
        let (store, finding, _, profile) = try writableAzure()
        let accounts = finding.snapshot.accounts(clientID: nil).filter { !$0.username.isEmpty }
        let names = Set(accounts.map(\.username))
        let list = names.map { #"{"user":{"name":"\#($0)"}}"# }.joined(separator: ",")
        try store.write(Array(#"{"subscriptions":[\#(list)]}"#.utf8), to: profile)
        #expect(names.count > 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for account in accounts { group.addTask { _ = try finding.remove(account, clientID: World.azureCLI) } }
            try await group.waitForAll()
        }
        let left = try #require(try AzureProfile(path: profile))
        #expect(accounts.allSatisfy { left.count(of: [$0.username]) == 0 })
        #expect(store.names == ["azureProfile.json", "msal_token_cache.json"])
    }

    @Test func `The profile of the Azure CLI keeps every byte that is not the user's, and its byte order mark`() throws
    {
        let bytes = try Fixture.bytes("azureProfile")
        let profile = try AzureProfile(bytes, path: "azureProfile.json")
        #expect(profile.count(of: ["ALICE@contoso.com"]) > 0 && profile.removing(["nobody@contoso.com", ""]) == nil)
        #expect(profile.removing(["new@contoso.com", "alice@contoso.com"]) == profile.removing(["alice@contoso.com"]))
        let text = try #require(profile.removing(["alice@CONTOSO.com"]))
        #expect(text.starts(with: [0xEF, 0xBB, 0xBF]))
        let old = try JSONValue(parsing: Array(bytes.dropFirst(3)))
        let new = try JSONValue(parsing: Array(text.dropFirst(3)))
        let kept = try #require(old["subscriptions"]?.array).filter {
            $0["user"]?["name"]?.string?.lowercased() != "alice@contoso.com"
        }
        #expect(new["subscriptions"]?.array == kept && new["installationId"] == old["installationId"])
        #expect(try AzureProfile(text, path: "azureProfile.json").removing(["alice@contoso.com"]) == nil)
    }

    @Test(arguments: [
        (#"{"subscriptions": [{"user": {"name": "a"}}]}"#, #"{"subscriptions": []}"#),
        (
            #"{"subscriptions": [{"user": {"name": "a"}}, {"user": {"name": "b"}}]}"#,
            #"{"subscriptions": [{"user": {"name": "b"}}]}"#
        ),
        (
            #"{"subscriptions": [{"user": {"name": "b"}}, {"user": {"name": "a"}}]}"#,
            #"{"subscriptions": [{"user": {"name": "b"}}]}"#
        ),
        (
            #"{"x": ["subscriptions", {"subscriptions": [1, 2]}], "subscriptions":[{"n":"],{\"","user":{"name":"b"}},{"user":{"name":"A"}}]}"#,
            #"{"x": ["subscriptions", {"subscriptions": [1, 2]}], "subscriptions":[{"n":"],{\"","user":{"name":"b"}}]}"#
        ),
    ])
    func `A subscription is taken out of the text and nothing else is touched`(_ before: String, _ after: String) throws
    {
        let text = try #require(try AzureProfile(Array(before.utf8), path: "p").removing(["a"]))
        #expect(String(decoding: text, as: UTF8.self) == after)
    }

    // MARK: Family

    @Test
    func `A family token reaches the well-known members, and nobody of whom the store says that it is none (FOCI)`()
        throws
    {
        let snapshot = try Fixture.snapshot("msal_many")
        let tokens = snapshot.familyTokens()
        #expect(!tokens.isEmpty && tokens.allSatisfy { !$0.reach.contains($0.holder) && $0.familyID == "1" })
        let held = try #require(tokens.first { $0.holder == World.azureCLI })
        #expect(held.reach.contains(World.powerShell) && !held.reach.contains(World.ownClient))
        let code = "aebc6443-996d-45c2-90f0-388ff96faa56"
        #expect(tokens.allSatisfy { !$0.reach.contains(code) })
    }
}
