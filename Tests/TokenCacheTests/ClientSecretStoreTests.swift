import Foundation
import Identity
import Testing

@testable import TokenCache

@Suite struct ClientSecretStoreTests {
    private let one = ClientSecretOwner(issuer: "https://id.example/one", clientID: "c")
    private let two = ClientSecretOwner(issuer: "https://id.example/two", clientID: "c")

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `Secrets lie beside a plain store for the user alone, one for each issuer and client`() throws {
        let store = try Store(fixture: "msal_one_account")
        let tokens = try store.bytes()
        let secrets = ClientSecretStore(store.cache)
        #expect(try secrets.secret(of: one) == nil && !secrets.remove(of: one))
        #expect(store.names == ["token_cache.json"])
        try secrets.set(Secret("first"), of: one)
        try secrets.set(Secret("other"), of: two, expiresAt: Date(timeIntervalSince1970: 1_800_000_000))
        try secrets.set(Secret("second"), of: one)
        #expect(try secrets.secret(of: one) == Secret("second") && secrets.secret(of: two) == Secret("other"))
        #expect(try secrets.expiry(of: two)?.timeIntervalSince1970 == 1_800_000_000)
        #expect(try secrets.expiry(of: one) == nil)
        #expect(try mode(store.path + ".secrets") == 0o600 && store.bytes() == tokens)
        #expect(try secrets.remove(of: one) && secrets.secret(of: one) == nil)
        #expect(try secrets.secret(of: two) == Secret("other"))
    }

    @Test(arguments: ["[]", #"{"version":2,"secrets":[]}"#, "{"])
    func `A file that is not understood is an error, and is not written over`(text: String) throws {
        let store = try Store()
        try store.write(Array(text.utf8), to: store.path + ".secrets")
        let secrets = ClientSecretStore(store.cache)
        #expect(throws: StoreError.self) { _ = try secrets.secret(of: one) }
        #expect(throws: StoreError.self) { try secrets.set(Secret("s"), of: one) }
        #expect(try store.bytes(store.path + ".secrets") == Array(text.utf8))
    }

    @Test func `More secrets than fit are refused, and none is dropped for another`() throws {
        let store = try Store()
        let secrets = ClientSecretStore(store.cache)
        let long = Secret(String(repeating: "x", count: 4096))
        var count = 0
        while true {
            do throws(StoreError) {
                try secrets.set(long, of: ClientSecretOwner(issuer: "https://id.example", clientID: "\(count)"))
            } catch {
                guard case .tooLarge = error.situation else { throw error }
                break
            }
            count += 1
        }
        #expect(count > 50)
        for number in 0..<count {
            #expect(
                try secrets.secret(of: ClientSecretOwner(issuer: "https://id.example", clientID: "\(number)")) == long)
        }
    }

    @Test func `In an encrypted store they are sealed with the tokens and keys, and each part is changed alone`() throws
    {
        let store = try Store()
        let cache = store.sealed(Asked("p").keys())
        let owner = ProofKeyOwner(environment: "e", issuer: "", homeAccountID: "h", clientID: "c")
        try ClientSecretStore(cache).set(Secret("CLIENT-SECRET"), of: one)
        let key = try ProofKeyStore(cache).key(of: owner) { Secret("PRIVATE-KEY") }
        try cache.save(World.record())
        let again = store.sealed(Asked("p").keys())
        #expect(try ClientSecretStore(again).secret(of: one) == Secret("CLIENT-SECRET"))
        #expect(try ProofKeyStore(again).keys(of: owner) == [key] && !again.read().credentials().isEmpty)
        #expect(store.names == ["token_cache.json"])
        #expect(!String(decoding: try store.bytes(), as: UTF8.self).contains("CLIENT"))
        try again.rekey()
        #expect(try ClientSecretStore(again).secret(of: one) == Secret("CLIENT-SECRET"))
    }

    @Test func `A sealed text without secrets is as before there were any`() throws {
        var texts = SealedStore.Texts()
        texts[.cache] = Array("{}".utf8)
        texts[.proofKeys] = Array("[]".utf8)
        let (header, key) = try Asked("p").keys().make(path: "/s", withSystemd: false)
        for secrets in ["", "{}"] {
            texts[.clientSecrets] = Array(secrets.utf8)
            let (_, sealed) = try SealedStore.split(
                try SealedStore.seal(texts, header, with: key, path: "/s"), path: "/s")
            #expect(sealed.count == 12 + 4 + 2 + 2 + (secrets.isEmpty ? 0 : 3) + 16)
            let read = try SealedStore.open(sealed, header, with: key, path: "/s")
            for part in TokenStorePart.allCases { #expect(read[part] == texts[part]) }
        }
    }

    @Test func `A move takes the secrets along, there and back`() throws {
        let store = try Store(fixture: "msal_one_account")
        try ClientSecretStore(store.cache).set(Secret("s3cret"), of: one)
        let sealed = TokenCache(.encrypted(path: store.folder + "/sealed"), keys: Asked("p").keys())
        #expect(try move(store.cache, sealed, removesOld: true) == nil)
        #expect(try store.names == ["sealed"] && ClientSecretStore(sealed).secret(of: one) == Secret("s3cret"))
        let back = TokenCache(path: store.folder + "/back.json")
        #expect(try move(sealed, back) == nil)
        #expect(try ClientSecretStore(back).secret(of: one) == Secret("s3cret"))
        #expect(store.names == ["back.json", "back.json.secrets", "sealed"])
    }

    @Test func `A move to a place with other secrets is refused, and both keep theirs`() throws {
        let (from, to) = (try Store(fixture: "msal_one_account"), try Store())
        try ClientSecretStore(from.cache).set(Secret("from"), of: one)
        try ClientSecretStore(to.cache).set(Secret("to"), of: one)
        #expect(situation { _ = try move(from.cache, to.cache, removesOld: true) } == .occupied)
        #expect(try ClientSecretStore(from.cache).secret(of: one) == Secret("from"))
        #expect(try ClientSecretStore(to.cache).secret(of: one) == Secret("to"))
        #expect(to.names == ["token_cache.json.secrets"])
    }

    private func move(_ from: TokenCache, _ to: TokenCache, removesOld: Bool = false) throws -> StoreError? {
        do throws(MoveFailure<Never>) { return try from.move(to: to, removesOld: removesOld) {} } catch {
            guard case .store(let cause) = error.cause else { return nil }
            throw cause
        }
    }
}

@Suite struct ClientSecretReaderTests {
    private func read(_ source: ClientSecret.Source, _ cache: TokenCache) throws(Failure) -> Secret {
        let authority: Authority
        do { authority = try Authority("https://id.example", kind: .oidc) } catch {
            throw Failure(.usage, "\(error)")
        }
        let configuration = ClientConfiguration(clientID: "c", authority: authority, store: cache.path)
        return try ClientSecretReader(configuration, cache).secret(source)
    }

    private func problem(_ source: ClientSecret.Source, _ cache: TokenCache) -> Failure? {
        do throws(Failure) {
            _ = try read(source, cache)
            return nil
        } catch { return error }
    }

    @Test(arguments: [mode_t(0o600), 0o400]) func `A file of the user alone is read`(mode: mode_t) throws {
        let store = try Store()
        try store.write(Array("s3cret\n".utf8), mode: mode)
        #expect(try read(.file(store.path), store.cache) == Secret("s3cret"))
    }

    @Test(arguments: [mode_t(0o640), 0o604, 0o660, 0o602])
    func `A file that others can read or write is refused, and what is in it is not said`(mode: mode_t) throws {
        let store = try Store()
        try store.write(Array("s3cret\n".utf8), mode: mode)
        let failure = try #require(problem(.file(store.path), store.cache))
        #expect(failure.code == .configuration && failure.hint?.description.contains("chmod") == true)
        #expect(failure.message.contains("mode 0\(String(mode, radix: 8))") && !"\(failure)".contains("s3cret"))
    }

    @Test func `What is no secret, no file, or is not there is refused`() throws {
        let store = try Store()
        for (text, words) in [("two\nlines\n", "does not contain"), (String(repeating: "x", count: 5000), "does not")] {
            try store.write(Array(text.utf8))
            #expect(problem(.file(store.path), store.cache)?.message.contains(words) == true)
        }
        for path in [store.folder, store.folder + "/none", "relative", "/dev/zero"] {
            #expect(problem(.file(path), store.cache)?.code == .configuration, "\(path)")
        }
        mkfifo(store.folder + "/pipe", 0o600)
        #expect(problem(.file(store.folder + "/pipe"), store.cache)?.code == .configuration)
    }

    @Test func `A program's first line is the secret; it gets no shell, and what it prints stays out of errors`() throws
    {
        let cache = try Store().cache
        #expect(try read(.command(["printf", "s3cret\nrest\n"]), cache) == Secret("s3cret"))
        #expect(try read(.command(["printf", "%s", "$HOME;`id`"]), cache) == Secret("$HOME;`id`"))
        for (words, what) in [
            (["sh", "-c", "echo s3cret; exit 3"], "status 3"), (["printf", "s3\\tcret"], "first line"),
            (["true"], "first line"), (["/no/such/program"], "no such file"), ([], "empty"),
            (["yes", "s3cret"], "printed too much"),
        ] as [([String], String)] {
            let failure = try #require(problem(.command(words), cache))
            #expect(failure.code == .configuration && failure.message.lowercased().contains(what), "\(failure.message)")
            #expect(!failure.message.contains("s3cret"))
        }
    }

    @Test func `A secret that is not kept is missing by name, and an unreadable store is its own error`() throws {
        let store = try Store()
        let missing = try #require(problem(.kept, store.cache))
        #expect(missing.code == .configuration && missing.hint == .keepClientSecret)
        let owner = ClientSecretOwner(issuer: "https://id.example", clientID: "c")
        try ClientSecretStore(store.cache).set(Secret("s3cret"), of: owner)
        #expect(try read(.kept, store.cache) == Secret("s3cret"))
        try store.write(Array("{".utf8), to: store.path + ".secrets")
        #expect(problem(.kept, store.cache)?.code == .storeError)
    }
}
