import CBuild
import CommandSupport
import StrictJSON
import Terminal

/// `foyer --version --verbose`: the parts of this program, as far as the build or a library knows them.
struct VersionDetails {
    struct Library: Hashable {
        let name: String
        let version: String
    }

    /// Nil if the build did not set it.
    let commit: String? = foyer_build_commit().map { String(cString: $0) }
    let compiler: String = "Swift " + (foyer_build_compiler().map { String(cString: $0) } ?? Self.atLeast)
    let libraries: [Library] = Self.shared + Self.packages

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

    /// The compiler reports no more about itself.
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

    private static var shared: [Library] {
        let found = [
            ("glibc", foyer_libc_version().map { String(cString: $0) }), ("ncurses", TerminalLibraries.ncurses),
            ("libqrencode", TerminalLibraries.qrencode),
        ]
        return found.compactMap { name, version in version.map { Library(name: name, version: $0) } }
    }

    /// The packages from the build that are linked into this program.
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

    private static let inside = [
        "async-http-client": "", "swift-argument-parser": "", "swift-crypto": " (with BoringSSL)", "swift-log": "",
        "swift-nio": "", "swift-nio-ssl": " (with BoringSSL)", "swift-service-lifecycle": "", "swift-system": "",
        "tomlkit": "",
    ]
}
