import Glibc

/// MSAL for Python, doing the same on the same file.
enum Python {
    /// The test environment's interpreter or the system's, if it has the package.
    static func withMSAL() -> String? {
        let candidates = [".build/test-environment/bin/python", "/usr/bin/python3", "/usr/local/bin/python3"]
        let environment = ["PATH=/usr/local/bin:/usr/bin:/bin"]
        return candidates.first {
            access($0, X_OK) == 0 && Child.run([$0, "-c", "import msal"], environment: environment)?.status == 0
        }
    }

    /// The metadata is answered on the spot, so that only the library's own work is timed.
    static let silentScript = """
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
