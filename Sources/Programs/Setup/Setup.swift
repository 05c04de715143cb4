package import CommandSupport
import Glibc
import Identity

/// Connects other programs with foyer for one person at one machine.
package struct Setup: Sendable {
    let environment: ProcessEnvironment
    let foyer: String
    private let isHelper: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - foyer: the program's file, absolute.
    ///   - isHelper: whether foyer answers when it is called by that name.
    package init(_ environment: ProcessEnvironment, foyer: String, isHelper: @escaping @Sendable (String) -> Bool) {
        (self.environment, self.foyer, self.isHelper) = (environment, foyer, isHelper)
    }

    /// What is to be set up.
    package struct Wish: Sendable {
        package var program: SetupProgram
        /// For docker: hosts.
        package var registries: [String]
        /// For kubectl: the user to write, and what kubectl-foyer is to be called with.
        package var user: String?
        package var arguments: [String]

        package init(
            _ program: SetupProgram, registries: [String] = [], user: String? = nil, arguments: [String] = []
        ) {
            self.program = program
            self.registries = registries
            self.user = user
            self.arguments = arguments
        }
    }

    /// Those for which foyer has a helper.
    package var programs: [SetupProgram] { SetupProgram.allCases.filter { !names(of: $0).isEmpty } }

    func names(of program: SetupProgram) -> [String] { program.helperNames.filter(isHelper) }

    // MARK: Links

    var linkFolder: String { environment.home + "/.local/bin" }

    func link(_ name: String) -> HelperLink { HelperLink(path: linkFolder + "/" + name, target: foyer) }

    /// What a name on `PATH` leads to.
    enum Found: Hashable { case nothing, foyer, other(String) }

    func found(_ name: String) -> Found {
        guard let path = environment.program(name) else { return .nothing }
        return HelperLink.leadsToFoyer(path) ? .foyer : .other(path)
    }

    /// The first one on `PATH` that is not foyer.
    func other(_ name: String) -> String? {
        (environment["PATH"] ?? "").split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { ProgramFile.isExecutable($0) && !HelperLink.leadsToFoyer($0) }
    }

    /// Why a link will not be found, and what to do; nil when it will.
    func trouble(with name: String) -> String? {
        switch foundOnceLinked(name) {
        case .foyer: return nil
        case .nothing:
            return "\(linkFolder) is not on PATH: add it there, such as PATH=\"$HOME/.local/bin:$PATH\" in ~/.profile"
        case .other(let path):
            let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)
            return "\(path) comes first on PATH: put \(linkFolder) before \(folder) there"
        }
    }

    /// What the name leads to when the link is there.
    private func foundOnceLinked(_ name: String) -> Found {
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for folder in folders where folder.hasPrefix("/") {
            if isSame(folder, linkFolder) { return .foyer }
            let path = folder + "/" + name
            if ProgramFile.isExecutable(path) { return HelperLink.leadsToFoyer(path) ? .foyer : .other(path) }
        }
        return .nothing
    }

    private func isSame(_ left: String, _ right: String) -> Bool {
        func plain(_ path: String) -> [Substring] { path.split(separator: "/") }
        if plain(left) == plain(right) { return true }
        guard let a = realpath(left, nil) else { return false }
        defer { free(a) }
        guard let b = realpath(right, nil) else { return false }
        defer { free(b) }
        return String(cString: a) == String(cString: b)
    }
}
