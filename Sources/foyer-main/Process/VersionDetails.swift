import CBuild
import CommandSupport
import Identity
import StrictJSON
import Terminal

/// What `foyer --version --verbose` says: what this program was built of, as far as the build or a library knows it.
struct VersionDetails {
    struct Library: Hashable {
        let name: String
        let version: String
    }

    /// Nil where the builder named none.
    let commit: String? = foyer_build_commit().map { String(cString: $0) }
    let compiler: String = "Swift " + (foyer_build_compiler().map { String(cString: $0) } ?? Self.atLeast)
    let libraries: [Library] = Self.shared + Self.packages

    /// - Returns: whether the arguments ask for the version and more than its one line.
    static func isAsked(_ arguments: [String]) -> Bool {
        arguments.contains("--version") && (arguments.contains("--verbose") || arguments.contains("--json"))
            && arguments.allSatisfy(["--version", "--verbose", "--json", "--no-color"].contains)
    }

    func show(_ output: Output) {
        output.result(
            json,
            or: ["foyer \(Product.version)", "commit: \(commit ?? "unknown")", "compiler: \(compiler)"]
                + libraries.map { "\($0.name): \($0.version)" })
    }

    private var json: JSONValue {
        JSONValue(
            ("version", Product.version.json), ("commit", commit.json), ("compiler", compiler.json),
            ("libraries", .array(libraries.map { JSONValue(("name", $0.name.json), ("version", $0.version.json)) })))
    }

    /// The compiler tells a program no more of itself.
    private static var atLeast: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// Libraries of the system, asked now.
    private static var shared: [Library] {
        let found = [
            ("glibc", foyer_libc_version().map { String(cString: $0) }), ("ncurses", TerminalLibraries.ncurses),
            ("libqrencode", TerminalLibraries.qrencode),
        ]
        return found.compactMap { name, version in version.map { Library(name: name, version: $0) } }
    }

    /// Those of the packages that were built for it which are in this program, in the versions that were built.
    private static var packages: [Library] {
        var length = 0
        guard let bytes = foyer_build_packages(&length) else { return [] }
        let text = Array(UnsafeBufferPointer(start: bytes, count: length))
        return ((try? JSONValue(parsing: text))?["pins"]?.array ?? []).compactMap { pin in
            guard let name = pin["identity"]?.string, let note = inside[name],
                let version = pin["state"]?["version"]?.string
            else { return nil }
            return Library(name: name, version: version + note)
        }
    }

    /// What is to be known of each: the two with BoringSSL bring it along.
    private static let inside = [
        "async-http-client": "", "swift-argument-parser": "", "swift-crypto": " (with BoringSSL)", "swift-log": "",
        "swift-nio": "", "swift-nio-ssl": " (with BoringSSL)", "swift-service-lifecycle": "", "swift-system": "",
        "tomlkit": "",
    ]
}
