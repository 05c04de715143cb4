import Glibc

/// An interpreter that has MSAL for Python.
struct Python {
    let program: String

    /// That of the test environment, which Tests/run makes, else the first on the path.
    static func withMSAL(_ environment: [String]) -> Python? {
        let ours = Programs.repository + "/.build/test-environment/bin/python"
        return [ours, Programs.onPath("python3")].compactMap { $0 }.first {
            access($0, X_OK) == 0 && Child.succeeds(Command([$0, "-c", "import msal"], environment))
        }.map { Python(program: $0) }
    }

    /// acquire_token_silent on a store of ours, from the start of the interpreter to its end. The metadata is answered
    /// on the spot, so that only the library's own work is timed.
    func silent(store: String, _ scratch: Scratch) -> Command {
        Command([program, scratch.write("silent.py", Self.script), store], scratch.environment)
    }

    private static let script = """
        import json, msal, sys
        class Reply:
            status_code, headers = 200, {}
            text = json.dumps({k: "\(Stores.authority)/oauth2/v2.0/" + k for k in
                ("authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "issuer")})
            def raise_for_status(self): pass
        class Stub:
            def get(self, *a, **k): return Reply()
            def post(self, *a, **k): raise SystemExit("went to the network")
            def close(self): pass
        cache = msal.SerializableTokenCache()
        cache.deserialize(open(sys.argv[1]).read())
        app = msal.PublicClientApplication("\(Stores.clientID)", authority="\(Stores.authority)", token_cache=cache,
            instance_discovery=False, http_client=Stub())
        account = app.get_accounts(username="\(Stores.username(0))")[0]
        print(app.acquire_token_silent(["User.Read"], account)["access_token"])
        """
}
