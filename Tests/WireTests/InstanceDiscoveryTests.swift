import Identity
import Synchronization
import Testing
import Waiting

@testable import Wire

/// What a provider's instance discovery may say, and what is asked when. The loopback address stands for a host that
/// nobody's table has.
@Suite struct InstanceDiscoveryTests {
    private static func document(_ metadata: String) -> String {
        #"{"tenant_discovery_endpoint":"http://127.0.0.1/t/v2.0/.well-known/openid-configuration","api-version":"1.1","metadata":\#(metadata)}"#
    }

    private static func host(_ asked: StubServer.Asked) -> String { asked.header("host") ?? "" }

    private static func group(_ host: String) -> String {
        let port = host.split(separator: ":").last ?? ""
        return
            #"[{"preferred_network":"\#(host)","preferred_cache":"localhost:\#(port)","aliases":["\#(host)","localhost:\#(port)","127.0.0.1"]}]"#
    }

    private static func respond<T>(
        _ respond: @escaping @Sendable (StubServer.Asked) -> StubServer.Reply,
        _ body: (InstanceDiscovery, Authority, StubServer) async throws -> T
    ) async throws -> T {
        try await StubServer.open(respond) { server async throws in
            try await Samples.transport { transport async throws in
                try await body(
                    InstanceDiscovery(transport: transport),
                    try Authority("http://127.0.0.1:\(server.port)/organizations"), server)
            }
        }
    }

    private static func error(_ instances: InstanceDiscovery, _ authority: Authority) async -> WireError? {
        await Samples.error { () async throws(WireError) in _ = try await instances.record(of: authority) }
    }

    @Test func `The names of a cloud are learnt, and stand in for the table`() async throws {
        try await Self.respond({ .json(Self.document(Self.group(Self.host($0)))) }) {
            instances, authority, server async throws in
            let own = "127.0.0.1:\(server.port)"
            #expect(instances.environments(of: own) == [own])
            let record = try await instances.record(of: authority)
            #expect(record.preferredNetwork == own && record.preferredCache == "localhost:\(server.port)")
            // Preferred cache name, the host itself, the rest.
            #expect(instances.environments(of: own) == ["localhost:\(server.port)", own, "127.0.0.1"])
            #expect(instances.isSame(own, "127.0.0.1") && instances.isRecognized("127.0.0.1"))
            #expect(
                instances.isSame("login.windows.net", "sts.windows.net")
                    && instances.isRecognized("login.microsoftonline.us"))
            #expect(!instances.isSame(own, "login.windows.net") && !instances.isRecognized("evil.example"))
            let asked = try #require(server.asked.first)
            #expect(
                asked.target == "/common/discovery/instance?api-version=1.1&authorization_endpoint="
                    + FormEncoding.escape("http://\(own)/organizations/oauth2/v2.0/authorize"))
        }
    }

    @Test func `Asked once, also by many at once`() async throws {
        try await Self.respond({ .json(Self.document(Self.group(Self.host($0)))) }) {
            instances, authority, server async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await instances.record(of: authority) } }
                try await group.waitForAll()
            }
            _ = try await instances.record(of: authority)
            #expect(server.asked.count == 1)
        }
    }

    @Test func `A first failure is not kept`() async throws {
        let count = Mutex(0)
        try await Self.respond({ asked in
            let number = count.withLock {
                $0 += 1
                return $0
            }
            return number == 1 ? .answer(429, "") : .json(Self.document(Self.group(Self.host(asked))))
        }) { instances, authority, server async throws in
            #expect(await Self.error(instances, authority)?.mayPass == true)
            _ = try await instances.record(of: authority)
            #expect(server.asked.count == 2)
        }
    }

    @Test func `Invalid_instance is kept, and says what to do`() async throws {
        try await Self.respond({ _ in .answer(400, #"{"error":"invalid_instance","error_description":"AADSTS50049"}"#) }
        ) {
            instances, authority, server async throws in
            for _ in 0..<3 {
                let error = await Self.error(instances, authority)
                #expect(error?.check == "authority" && error?.message.contains("kind = \"oidc\"") == true)
            }
            #expect(server.asked.count == 1)
        }
    }

    @Test func `A host that the answer does not name stands for itself`() async throws {
        try await Self.respond({ _ in .json(Self.document("[]")) }) { instances, authority, server async throws in
            #expect(try await instances.record(of: authority).aliases == ["127.0.0.1:\(server.port)"])
        }
    }

    @Test(arguments: [
        "5", "{}", "[5]", "[{}]", #"[{"preferred_network":"HOST","preferred_cache":"HOST"}]"#,
        #"[{"preferred_network":"HOST","preferred_cache":"HOST","aliases":[]}]"#,
        #"[{"preferred_network":5,"preferred_cache":"HOST","aliases":["HOST"]}]"#,
        #"[{"preferred_network":"HOST","preferred_cache":"a b","aliases":["HOST"]}]"#,
        #"[{"preferred_network":"HOST","preferred_cache":"HOST","aliases":["HOST",5]}]"#,
        #"[{"preferred_network":"HOST","preferred_cache":"HOST","aliases":["HOST","host/path"]}]"#,
        #"[{"preferred_network":"HOST","preferred_cache":"HOST","aliases":["HOST","u@evil.example"]}]"#,
        #"[{"preferred_network":"HOST","preferred_cache":"HOST","aliases":["HOST","a:99999"]}]"#,
        #"[{"preferred_network":"HOST","preferred_cache":"HOST","aliases":["HOST"]},{"preferred_network":"x:y","preferred_cache":"x","aliases":["x"]}]"#,
    ])
    func `A wrong type or a name that is no host, anywhere, is an error, and nothing is learnt`(metadata: String)
        async throws
    {
        try await Self.respond({ .json(Self.document(metadata.replacing("HOST", with: Self.host($0)))) }) {
            instances, authority, server async throws in
            #expect(await Self.error(instances, authority)?.check == "instance metadata")
            #expect(instances.environments(of: "127.0.0.1:\(server.port)") == ["127.0.0.1:\(server.port)"])
        }
    }

    @Test func `A provider on this machine speaks for no host elsewhere`() async throws {
        try await Self.respond({ asked in
            let host = Self.host(asked)
            return .json(
                Self.document(
                    #"[{"preferred_network":"\#(host)","preferred_cache":"\#(host)","aliases":["\#(host)","login.microsoftonline.com"]}]"#
                ))
        }) { instances, authority, server async throws in
            #expect(await Self.error(instances, authority)?.check == "instance metadata")
            #expect(!instances.isSame("127.0.0.1:\(server.port)", "login.microsoftonline.com"))
        }
    }

    @Test func `Hosts of the table are not asked about, and it is needed for unknown hosts of Entra's kind only`()
        async throws
    {
        try await Samples.transport { transport async throws in
            let record = try await InstanceDiscovery(transport: transport).record(
                of: try Authority("https://login.chinacloudapi.cn/common"))
            #expect(record.preferredNetwork == "login.partner.microsoftonline.cn")
            #expect(record.environments(for: "login.chinacloudapi.cn").first == "login.partner.microsoftonline.cn")
        }
        for (text, needed) in [
            ("https://login.microsoftonline.us/common", false), ("https://login.windows.net/contoso.com", false),
            ("https://sts.contoso.com/common", true), ("http://127.0.0.1:9/common", false),
            ("https://id.example.org/realms/x", false),
            ("https://t.ciamlogin.com", false), ("https://t.b2clogin.com/t/b2c_1_x", false),
            ("https://fs.contoso.com/adfs", false),
        ] {
            #expect(InstanceDiscovery.isNeeded(for: try Authority(text)) == needed, "\(text)")
        }
        let own = try Authority("https://sts.contoso.com/common")
        for known in ["sts.contoso.com", "STS.contoso.com", "https://sts.contoso.com/organizations"] {
            #expect(!InstanceDiscovery.isNeeded(for: own, knownAuthorities: [known]))
        }
        #expect(InstanceDiscovery.isNeeded(for: own, knownAuthorities: ["contoso.com", "evil.sts.contoso.com"]))
    }

    @Test(.timeLimit(.minutes(Waiting.minutes)))
    func `Who gives up is let go at once, and the others get their answer`() async throws {
        let opened = Mutex(false)
        try await Self.respond({ _ in
            opened.withLock { $0 = true }
            return .raw("", .silence)
        }) { instances, authority, _ async throws in
            let task = Task { await Self.error(instances, authority) }
            #expect(await eventually { opened.withLock { $0 } })
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }
}
