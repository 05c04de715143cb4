import Glibc
import StrictJSON

/// A silent refresh against the sandbox: how long, and how many requests.
enum Refresh {
    static func measure(bin: String, foyer: String, scratch: Scratch) {
        guard let sandbox = Programs.find("foyer-sandbox"), access("/usr/bin/curl", X_OK) == 0 else {
            return print("silent refresh: needs foyer-sandbox and curl, left out")
        }
        let port = 20_000 + Int(getpid()) % 20_000
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        guard let process = Child.spawn([sandbox, "--port", "\(port)"], scratch.environment, &actions) else { return }
        defer {
            kill(process, SIGTERM)
            _ = Child.wait(process)
        }
        let base = "http://127.0.0.1:\(port)"
        for _ in 0..<100 where requests(base, scratch) == nil { usleep(50_000) }
        let common = [
            "--client-id", Stores.clientID, "--authority", base + "/organizations", "--scope", "User.Read", "--store",
            scratch.path + "/refresh.json",
        ]
        let signIn =
            [
                foyer, "sign-in", "--via", "browser", "--browser", "/usr/bin/curl -sL %s", "--login-hint",
                "ada@contoso.example",
            ] + common
        guard Child.run(signIn, environment: scratch.environment)?.status == 0 else {
            return print("silent refresh: the sign-in did not work")
        }
        let refresh = [foyer, "token", "--silent", "--force-refresh"] + common
        let before = requests(base, scratch) ?? 0
        guard Child.run(refresh, environment: scratch.environment)?.status == 0 else {
            return print("silent refresh: refused")
        }
        let after = requests(base, scratch) ?? 0
        Benchmarks.report(
            "silent refresh, whole process", Timing.of(refresh, runs: 10, environment: scratch.environment))
        print("silent refresh, requests on the wire: \(after - before)")
    }

    /// How many requests the sandbox has answered, its control endpoint left out; nil when it is not there yet.
    private static func requests(_ base: String, _ scratch: Scratch) -> Int? {
        guard
            let reply = Child.run(
                ["/usr/bin/curl", "-s", base + "/_sandbox/state"], environment: scratch.environment, keepsOutput: true),
            reply.status == 0, let object = try? JSONValue(parsing: Array(reply.output.utf8)),
            let counts = object["requests"]?.object
        else { return nil }
        // Each grant is counted under the endpoint's name, too.
        return counts.members.filter { !$0.name.contains(":") }.compactMap { $0.value.integer }.reduce(0) {
            $0 + Int($1)
        }
    }
}
