/// The versions of the programs that were measured.
enum Versions {
    /// Name and version of each that is there.
    static func all(_ environment: [String], python: Python?) -> [(name: String, version: String)] {
        var versions: [(name: String, version: String)] = []
        func add(_ name: String, _ words: [String]) {
            guard let reply = Child.run(Command(words, environment), keepsOutput: true), reply.status == 0,
                let line = reply.output.split(separator: "\n").first
            else { return }
            // "ncdu 1.18", "valgrind-3.19.0", "4.7": the word that begins with a digit is the version.
            let words = line.split { " -".contains($0) }
            versions.append((name, String(words.first { $0.first?.isNumber == true } ?? line)))
        }
        add("foyer", [Programs.foyer, "--version"])
        for (name, option) in [("oidc-token", "--version"), ("ncdu", "-v"), ("nnn", "-V"), ("valgrind", "--version")] {
            if let program = Programs.onPath(name) { add(name, [program, option]) }
        }
        if let python {
            add("Python", [python.program, "--version"])
            add("MSAL for Python", [python.program, "-c", "import msal; print(msal.__version__)"])
        }
        return versions
    }
}
