import Testing

@testable import TokenCache

@Suite struct StoreSpecTests {
    @Test(arguments: [
        ("/a/b.json", StoreSpec.file(path: "/a/b.json")), ("file:/a/b.json", .file(path: "/a/b.json")),
        ("b.json", .file(path: "b.json")),
        ("./odd:name", .file(path: "./odd:name")), ("/a:b/c", .file(path: "/a:b/c")),
        ("encrypted:/a/b", .encrypted(path: "/a/b")),
        ("file:encrypted:/a", .file(path: "encrypted:/a")),
    ])
    func `A store is named by its kind and place, and a bare path is a file`(text: String, spec: StoreSpec) throws {
        #expect(try StoreSpec(text) == spec)
    }

    @Test(arguments: [
        "", "file:", "encrypted:", "keyring:", "secret:/a", "Encrypted:/a", "keyring:a/b", "keyring:.hidden",
        "keyring:a b", "keyring:ü",
        "file:/a/",
        "/a/", "file:/a\u{0}b", "a\nb", "keyring:/a/", "encrypted:/" + String(repeating: "x", count: 5000),
        "keyring:" + String(repeating: "x", count: 101),
    ])
    func `What names no store is refused, with what to write`(text: String) {
        #expect {
            _ = try StoreSpec(text)
        } throws: {
            ($0 as? StoreSpec.Problem).map { !$0.message.isEmpty && $0.hint.contains("write") } ?? false
        }
    }

    @Test func `A keyring item named by a word has its signal file in the data folder`() throws {
        guard
            case .keyring(let item) = try StoreSpec(
                "keyring:work", folder: "/home/ada/.local/share/foyer", label: "foyer")
        else { throw Wrong() }
        #expect(item.label == "foyer")
        #expect(item.signal == "/home/ada/.local/share/foyer/work.keyring" && item.name == "work")
        #expect("\(StoreSpec.keyring(item))" == "keyring:work")
    }

    /// msal_extensions.persistence: the schema is `hashlib.sha256(signal_location.encode("utf-8")).hexdigest()`.
    @Test func `A keyring item named by a path is the one that msal-extensions uses for that path`() throws {
        guard case .keyring(let item) = try StoreSpec("keyring:/tmp/signal") else { throw Wrong() }
        #expect(item.schema == "49fc2c3c10453657606d6e5bf5a1e6a4ad782298fb827914be029eedde414b24")
        #expect(item.attributes.isEmpty && item.signal == "/tmp/signal" && item.matchesSchema)
        #expect(item.label == "SilentFirst")
    }

    @Test(arguments: ["file:/a/b", "encrypted:/a b", "keyring:/x/y"]) func `A store's text reads as itself`(
        text: String
    ) throws {
        #expect("\(try StoreSpec(text))" == text)
        #expect(try StoreSpec("\(try StoreSpec(text))") == StoreSpec(text))
    }

    @Test func `A handle on what is no store says so at each call, and touches nothing`() throws {
        let cache = TokenCache(naming: "secret:/tmp/x")
        #expect(cache.spec == nil)
        for call in [
            { _ = try cache.read() }, { try cache.save(World.record()) },
            { _ = try ProofKeyStore(cache).keys(of: owner) },
        ] {
            guard case .noStore? = situation(call) else { throw Wrong() }
        }
    }

    private struct Wrong: Error {}
    private let owner = ProofKeyOwner(environment: "e", issuer: "", homeAccountID: "h", clientID: "c")
}
