import CommandSupport
import Glibc
import TokenCache

/// foyer-main, which does everything that the fast path does not.
enum WholeProgram {
    /// Replaces this process with foyer-main, with the same arguments, descriptors and environment.
    static func run(_ arguments: [String], _ note: ExecHandover) -> Never {
        BacktraceSetting.forbid()
        for path in paths {
            setenv(Product.handOverVariable, note.text, 1)
            var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
            words.append(nil)
            execv(path, &words)
            guard errno == ENOENT || errno == ENOTDIR else { fail("\(path): \(String(cString: strerror(errno)))") }
        }
        fail("foyer-main is not installed; expected next to foyer, or in ../libexec/foyer")
    }

    /// Next to this program, as in a build folder; else the installed path.
    private static var paths: [String] {
        guard let own = linkTarget("/proc/self/exe"), let slash = own.lastIndex(of: "/") else { return [] }
        let folder = String(own[..<slash])
        return [folder + "/foyer-main", folder + "/../libexec/foyer/foyer-main"]
    }

    private static func fail(_ message: String) -> Never {
        Output.write("foyer: \(message)\n", to: STDERR_FILENO)
        exit(78)
    }
}
