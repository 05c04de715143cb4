package import CommandSupport
import TokenCache

/// Connects other programs with foyer for one user on one machine.
package struct Setup: Sendable {
    let environment: ProcessEnvironment
    let foyer: String
    private let isHelper: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - foyer: absolute path of the program.
    ///   - isHelper: whether foyer acts as a helper when called by that name.
    package init(_ environment: ProcessEnvironment, foyer: String, isHelper: @escaping @Sendable (String) -> Bool) {
        (self.environment, self.foyer, self.isHelper) = (environment, foyer, isHelper)
    }

    package struct Wish: Sendable {
        package var program: SetupProgram
        package var registries: [String] = []
        /// For kubectl: the user to add, and the arguments of its kubectl-foyer.
        package var user: String?
        package var arguments: [String] = []

        package init(_ program: SetupProgram) { self.program = program }
    }

    /// Programs with a helper in this foyer.
    package var programs: [SetupProgram] { SetupProgram.allCases.filter { !names(of: $0).isEmpty } }

    func names(of program: SetupProgram) -> [String] { program.helperNames.filter(isHelper) }

    // MARK: Links

    var linkFolder: String { environment.home + "/.local/bin" }

    func link(_ name: String) -> HelperLink { HelperLink(path: linkFolder + "/" + name, target: foyer) }

    enum Found: Hashable { case nothing, foyer, other(String) }

    func found(_ name: String) -> Found {
        guard let path = environment.program(name) else { return .nothing }
        return HelperLink.leadsToFoyer(path) ? .foyer : .other(path)
    }

    /// The first program of this name on `PATH` that is not foyer.
    func other(_ name: String) -> String? {
        (environment["PATH"] ?? "").split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
            .first { ProgramFile.isExecutable($0) && !HelperLink.leadsToFoyer($0) }
    }

    /// Why the link would not be found, and how to fix it; nil if it would.
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

    /// The program that the name will resolve to once linked.
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
        return realPath(left).map { $0 == realPath(right) } ?? false
    }
}
