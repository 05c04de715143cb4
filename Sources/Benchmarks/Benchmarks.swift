// Benchmarks times whole commands as a person and a script meet them, and prints one line a figure with its unit.
// Nothing is asserted here: machines differ, and ratios taken in one run are what counts.

import Glibc

@main
enum Benchmarks {
    static func main() {
        guard let bin = Programs.folder, let foyer = Programs.find("foyer") else {
            print("foyer is not built: swift build -c release --static-swift-stdlib")
            exit(1)
        }
        // A child's peak counts what its parent held when it was started, so large stores are made in a child of their
        // own.
        let arguments = CommandLine.arguments
        if arguments.count == 5, arguments[1] == "--write-store", let accounts = Int(arguments[2]),
            let tokens = Int(arguments[3])
        {
            return Scratch.write(
                arguments[4], Stores.store(accounts: accounts, tokensEach: tokens, isLean: accounts > 5000))
        }
        let scratch = Scratch()
        defer { scratch.remove() }
        let small = scratch.store("small.json", accounts: 1, tokensEach: 1)
        let large = scratch.store("large.json", accounts: 1000, tokensEach: 5)

        let smallHit = hit(foyer, small, scratch, "foyer token, hit, 1 account")
        let largeHit = hit(
            foyer, large, scratch, "foyer token, hit, 5,000 tokens (\(Stores.size(large) / 1_000_000) MB)")
        if let python = Python.withMSAL() {
            let script = scratch.write("silent.py", Python.silentScript)
            report(
                "MSAL for Python, hit, 1 account",
                Timing.of([python, script, small], runs: 10, environment: scratch.environment)
            )
            .map { ratio("MSAL / foyer, 1 account", $0, smallHit) }
            report(
                "MSAL for Python, hit, 5,000 tokens",
                Timing.of([python, script, large], runs: 5, environment: scratch.environment)
            )
            .map { ratio("MSAL / foyer, 5,000 tokens", $0, largeHit) }
        } else {
            print("MSAL for Python: not installed, left out")
        }
        Screen.measure(
            foyer, store: scratch.write("twenty.json", Stores.store(accounts: 20, tokensEach: 3)),
            environment: scratch.environment)
        Screen.measureLarge(
            foyer, store: scratch.store("huge.json", accounts: 10_000, tokensEach: 5), environment: scratch.environment)
        Refresh.measure(bin: bin, foyer: foyer, scratch: scratch)
    }

    private static func hit(_ foyer: String, _ store: String, _ scratch: Scratch, _ name: String) -> Timing? {
        let command = [
            foyer, "token", "--silent", "--client-id", Stores.clientID, "--authority", Stores.authority, "--account",
            Stores.username(0),
            "--scope", "User.Read", "--store", store,
        ]
        return report(name, Timing.of(command, runs: 40, environment: scratch.environment))
    }

    @discardableResult
    static func report(_ name: String, _ timing: Timing?) -> Timing? {
        guard let timing else {
            print("\(name): did not run")
            return nil
        }
        print(
            """
            \(name): \(milliseconds(timing.median)) ms median (\(milliseconds(timing.least)) to \
            \(milliseconds(timing.most))), \(timing.peakKiB / 1024) MiB peak
            """
        )
        return timing
    }

    private static func ratio(_ name: String, _ left: Timing, _ right: Timing?) {
        guard let right, right.median > 0 else { return }
        print("\(name): \(tenths(left.median / right.median)) times")
    }

    static func milliseconds(_ seconds: Double) -> String { tenths(seconds * 1000) }

    private static func tenths(_ value: Double) -> String {
        let whole = Int((value * 10).rounded())
        return "\(whole / 10).\(whole % 10)"
    }
}

/// Where the programs of one build lie: beside this one.
enum Programs {
    static let folder: String? = {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: "/")
            .dropLast().map {
                "/" + $0
            }.joined()
    }()

    static func find(_ name: String) -> String? {
        guard let path = folder.map({ $0 + "/" + name }), access(path, X_OK) == 0 else { return nil }
        return path
    }
}

/// A folder that goes when the work is done, and an environment in which nothing of the person's own is read.
struct Scratch {
    let path: String

    init() {
        var template = Array("/tmp/foyer-benchmarks-XXXXXX".utf8CString)
        mkdtemp(&template)
        path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var environment: [String] {
        ["HOME=\(path)", "PATH=/usr/local/bin:/usr/bin:/bin", "TERM=xterm-256color", "LANG=C.UTF-8"]
    }

    func write(_ name: String, _ text: String) -> String {
        let file = path + "/" + name
        Self.write(file, text)
        return file
    }

    func store(_ name: String, accounts: Int, tokensEach: Int) -> String {
        let file = path + "/" + name
        if let own = Programs.folder {
            _ = Child.run(
                [own + "/Benchmarks", "--write-store", "\(accounts)", "\(tokensEach)", file], environment: environment)
        }
        return file
    }

    static func write(_ file: String, _ text: String) {
        guard let stream = fopen(file, "w") else { return }
        fputs(text, stream)
        fclose(stream)
        chmod(file, 0o600)
    }

    func remove() { _ = Child.run(["/bin/rm", "-rf", path], environment: environment) }
}
