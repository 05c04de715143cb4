import Glibc
import Identity
import SilentCore
import StrictJSON
import Testing
import TokenCache

@testable import CommandSupport
@testable import Helpers
@testable import Programs

/// Every field of a request at every door: it changes the request, or is refused with a reason. None is dropped.
@Suite struct RequestFieldDoorTests {
    /// A settings file and a store of their own.
    private final class Home {
        let folder: String
        let environment: ProcessEnvironment

        init() throws {
            var name = Array("/tmp/foyer-fields.XXXXXX".utf8CString)
            let folder = name.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
            self.folder = folder
            let variables = [
                "HOME": folder, "FOYER_CONFIG": folder + "/config.toml", "FOYER_STORE": folder + "/tokens.json",
                "XDG_STATE_HOME": folder, "XDG_RUNTIME_DIR": folder,
                "KUBERNETES_EXEC_INFO": """
                {"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",\
                "spec":{"cluster":{"server":"https://k.example.org"}}}
                """,
            ]
            environment = ProcessEnvironment(workingFolder: "/srv") { variables[$0] }
            for file in ["config.toml", "other.toml"] {
                try SettingsFile(folder + "/" + file).replace(with: Array(RequestFieldDoorTests.settings.utf8))
            }
            let read = try SettingsReader(path: "config.toml", text: RequestFieldDoorTests.settings).settings()
            let store = ["work:ada", "work:grace", "other:ada", "lab:ada", "kubelogin:ada"]
            for file in ["tokens.json", "other.json"] {
                try SettingsFile(folder + "/" + file).replace(with: ResolutionTests.storeText(store, read))
            }
        }

        deinit {
            for name in Folder.names(in: folder) { remove(folder + "/" + name) }
            rmdir(folder)
        }
    }

    fileprivate static let settings = """
        client = "work"

        [clients.work]
        client_id = "work-id"
        scopes = ["S/.default"]

        [clients.other]
        client_id = "other-id"

        [clients.lab]
        client_id = "lab-id"
        authority = "https://id.lab.example"
        kind = "oidc"

        [clients.plain]
        client_id = "plain-id"
        authority = "https://git.plain.example"
        kind = "oauth2"
        scopes = ["read"]

        [[rules]]
        host = "stranger.example"
        client = "work"

        [[rules]]
        host = "git.example.org:8443"
        client = "work"

        [[rules]]
        registry = "127.0.0.1:5000"
        client = "work"

        [[rules]]
        cluster = "https://k.example.org"

        """

    /// Options with this field alone, at another value than any default.
    private static func options(_ field: RequestField, _ folder: String) throws -> TokenOptions {
        let texts = [
            "client": "other", "client-id": "other-id", "authority": "https://login.microsoftonline.us/common",
            "resource": "https://r.example/", "account": "grace@contoso.example", "tenant": "fabrikam.example",
            "store": folder + "/other.json", "config": folder + "/other.toml",
            "claims": #"{"access_token":{"x":null}}"#,
            "pop": "GET:https://api.example.org/", "pop-nonce": "n", "browser": "none",
            "redirect-uri": "http://localhost:9/", "login-hint": "zoe@contoso.example",
            "domain-hint": "contoso.example",
            "scope": "api://y/.default", "extra-scope": "api://y/x", "extra-query": "a=b", "acr": "c1",
            "challenge": #"Bearer error="insufficient_scope", scope="api://y/write""#,
        ]
        let text = field.option.flatMap { texts[$0] }
        var options = TokenOptions()
        switch field.member {
        case .text(let path): options[path] = try #require(text ?? (field.option == nil ? "s1" : nil))
        case .texts(let path): options[path] = [try #require(text)]
        case .flag(let path): options[path] = true
        case .seconds(let path): options[path] = 33
        case .number(let path): options[path] = 77
        case .method(let path): options[path] = .device
        case .prompt(let path): options[path] = .login
        case .responseMode(let path): options[path] = .formPost
        }
        return options
    }

    private enum Door: Hashable {
        case plugin
        case of(ResolutionTests.Door)

        static let all = [Door.plugin] + ResolutionTests.Door.allCases.map(Door.of)

        func query(_ options: TokenOptions, _ environment: ProcessEnvironment) throws -> TokenQuery {
            switch self {
            case .plugin: try HelperRequest.kubectl(options, isIDToken: false, environment).query
            case .of(let door): try door.query(options)
            }
        }
    }

    /// What a request would ask for, or why it is refused.
    private static func effect(_ door: Door, _ options: TokenOptions, _ home: Home, ofManner: Bool) throws -> String {
        do throws(Failure) {
            let query: TokenQuery
            do { query = try door.query(options, home.environment) } catch let failure as Failure {
                throw failure
            } catch {
                throw Failure(.usage, "\(error)")
            }
            let context = try CommandContext(query.options.checked(), environment: home.environment)
            let call: TokenCall
            if query.request == nil {
                call = try TokenCall(try context.resolved(query), context, aside: { _ in })
            } else {
                guard let found = try ProgramCall(query, context, isAsked: false) else { return "not named" }
                call = found.call
            }
            let request = call.request
            guard !ofManner else { return "\(call.options.hashValue) \(call.context.network().timeout)" }
            return [
                "\(call.client.name) \(call.client.clientID) \(call.resolution.authority) \(request.scopes)",
                "\(call.resolution.outcome) \(request.account?.label ?? "") \(request.tenant ?? "")",
                "\(request.resource ?? "") \(request.claims ?? "") \(request.forceRefresh) \(request.stepUp != nil)",
                // A program's demand for more scopes is put to the person.
                "\(call.demand.map { "\($0.wants) \($0.refused)" } ?? "")",
                "\(request.proof != nil) \(request.loginHint ?? "") \(request.domainHint ?? "") \(request.extraScopes)",
                "\(request.extraQueryParameters) \(request.maxAge ?? 0) \(request.acrValues)",
                "\(try context.storeSpec(call.client)) \(context.settings.path)",
            ].joined(separator: "\n")
        } catch { return "refused: " + error.message }
    }

    private static let fields = RequestField.all.filter { field in
        // The environment alone sets the last kind.
        field.option != nil && field.group != .interface
    }

    @Test(arguments: fields.indices)
    func `Each field changes the request at each door, or is refused`(index: Int) throws {
        let field = Self.fields[index]
        let home = try Home()
        let sample = try Self.options(field, home.folder)
        for door in Door.all {
            let isManner = field.role == .manner
            let query = try door.query(TokenOptions(), home.environment)
            // A program's call is silent anyway, and a program's own wishes come before the options.
            if field.option == "silent", query.request != nil { continue }
            if field.role != .bound, field.isSet(in: query.asked) { continue }
            let plain = try Self.effect(door, TokenOptions(), home, ofManner: isManner)
            #expect(!plain.hasPrefix("refused") && plain != "not named", "\(door): \(plain)")
            let found = try Self.effect(door, sample, home, ofManner: isManner)
            #expect(found != plain, "\(door) drops \(field.option ?? "")")
        }
    }

    @Test func `Claims at a server with OAuth alone are refused at each door`() throws {
        let home = try Home()
        var refusals: Set<String> = []
        for door in Door.all {
            let options = TokenOptions {
                ($0.client, $0.claims) = ("plain", #"{"access_token":{"x":null}}"#)
            }
            let query = try door.query(options, home.environment)
            let context = try CommandContext(query.options.checked(), environment: home.environment)
            let refusal: Failure?
            do throws(Failure) {
                let call =
                    query.request == nil
                    ? try TokenCall(try context.resolved(query), context, aside: { _ in })
                    : try ProgramCall(query, context, isAsked: false)?.call
                let outcome = call.map { $0.cached.decision(on: $0.request, from: $0.snapshot).outcome }
                if let outcome, case .failure(let reason) = outcome { refusal = reason } else { refusal = nil }
            } catch { refusal = error }
            refusals.insert(refusal?.message ?? "\(door): none")
        }
        // Some doors take no client of this kind, or name another one.
        #expect(refusals.contains("OAuth 2.0 has no claims requests"))
        #expect(
            refusals.allSatisfy {
                $0.hasSuffix("has no claims requests") || $0.contains("does not accept") || $0.contains("requested")
            }, "\(refusals)")
    }

    @Test func `A kubeconfig's resource reaches the request, and may not contradict the command line's`() throws {
        let options = TokenOptions { ($0.client, $0.resource) = ("lab", "https://narrow.example/") }
        var query = try HelperRequest.kubectl(options, isIDToken: false, Home().environment).query
        #expect(query.effective.resource == "https://narrow.example/")
        let world = ResolutionWorld(try SettingsReader(path: "x", text: Self.settings).settings())
        query.options.resource = "https://other.example/"
        #expect { try ResolvedClient(query, world) } throws: { error in
            guard
                case .outOfBound(_, "resource", "https://narrow.example/", "https://other.example/")? = error
                    as? Refusal
            else { return false }
            return true
        }
        #expect(query.effective.resource == "https://other.example/")
    }

    // MARK: Other processes and hosts

    private static func isSame(_ field: RequestField, _ one: TokenOptions, _ other: TokenOptions) -> Bool {
        var (left, right) = (TokenOptions(), TokenOptions())
        field.copy(from: one, to: &left)
        field.copy(from: other, to: &right)
        return left == right
    }

    @Test func `What another process is asked has each field that chooses a token`() throws {
        let home = try Home()
        var unsent: [String] = []
        for field in RequestField.all {
            let sample = try Self.options(field, home.folder)
            let folder = FileIdentity(device: 1, inode: 1)
            let line = AgentTokenRequest(sample, home.environment, storeFolder: folder).json().serialized()
            let request: AgentRequest
            do throws(Failure) { request = try AgentProtocol.request(Array(line.utf8)) } catch {
                #expect(field.option == "pop" && error.code == .usage, "\(field.option ?? ""): \(error.message)")
                continue
            }
            guard case .token(let token) = request else {
                Issue.record("no token request")
                continue
            }
            if field.reach == .here {
                // Prompts and output belong to this process.
                if field.role != .manner, field.group != .signIn { unsent.append(field.option ?? "") }
            } else {
                #expect(field.isSet(in: token.options) && Self.isSame(field, sample, token.options), "\(field.help)")
            }
        }
        // Its claims are sent; a call that has to step up asks no agent.
        #expect(unsent == ["challenge"])
    }

    @Test func `What another host is asked has each field that may cross, and the others are refused`() throws {
        let home = try Home()
        var refused: [String] = []
        for field in RequestField.all where field.reach > .here {
            let sample = try Self.options(field, home.folder)
            if field.reach == .host {
                let line = ForwardedTokenRequest(sample).json.serialized()
                let request = try AgentProtocol.forwardedRequest(Array(line.utf8))
                #expect(
                    field.isSet(in: request.options) && Self.isSame(field, sample, request.options), "\(field.help)")
                continue
            }
            let members = [JSONMember(name: "op", value: "token")] + RequestField.members(of: sample, .process)
            let line = JSONValue.object(JSONObject(members)).serialized()
            do throws(Failure) { _ = try AgentProtocol.forwardedRequest(Array(line.utf8)) } catch {
                refused.append(field.name ?? "")
            }
        }
        // Store and settings are the host's own.
        #expect(refused == ["forceRefresh", "agentSession"])
    }
}
