package import CommandSupport
import Glibc
package import Identity
import TokenCache

/// The D-Bus service file that starts foyer's broker on demand. As a user's file it hides one installed by a package,
/// so it is never written if another program provides the name.
package struct BrokerServiceFile: Sendable {
    package let path: String
    private let environment: ProcessEnvironment

    private static let fileName = BrokerInterface.name + ".service"
    /// A file without this line was not written by foyer.
    private static let mark = "# Written by \"foyer broker enable\"; \"foyer broker disable\" removes it.\n"
    private static let longest = 65_536

    package init(_ environment: ProcessEnvironment) {
        self.environment = environment
        path = environment.dataHome + "/dbus-1/services/" + Self.fileName
    }

    package var isThere: Bool { ((try? isOurs()) ?? false) }

    private func isOurs() throws(Failure) -> Bool {
        guard let bytes = try TextFile.readTrusted(path, limit: Self.longest, what: "service file") else {
            return false
        }
        guard bytes.starts(with: Self.mark.utf8) else {
            throw Failure(.configuration, "\(path) was not written by foyer: another broker is set up")
        }
        return true
    }

    /// - Parameter program: the absolute path of foyer.
    package static func text(program: String) -> String {
        // D-Bus parses Exec by the quoting rules of a shell.
        let word = program.reduce(into: "") { text, character in
            if "\"\\$`".contains(character) { text.append("\\") }
            text.append(character)
        }
        return mark + """
            [D-BUS Service]
            Name=\(BrokerInterface.name)
            Exec="\(word)" broker --foreground

            """
    }

    /// - Throws: `configuration` if the file is not foyer's or cannot be written.
    package func write(program: String) throws(Failure) {
        _ = try isOurs()
        try SettingsFile(path).replace(with: Array(Self.text(program: program).utf8), mode: 0o644)
    }

    package func remove() throws(Failure) -> Bool {
        guard try isOurs() else { return false }
        unlink(path)
        return true
    }

    /// The service file of another broker in any folder that the bus searches.
    package var other: String? {
        let places = folders.map { $0 + "/dbus-1/services" }
        for folder in places {
            for name in Folder.names(in: folder) where name.hasSuffix(".service") {
                let file = folder + "/" + name
                guard let bytes = try? TextFile.read(file, limit: Self.longest, what: "service file"),
                    !bytes.starts(with: Self.mark.utf8), Self.provides(String(decoding: bytes, as: UTF8.self))
                else { continue }
                return file
            }
        }
        return nil
    }

    /// In the order of D-Bus: the session's, the user's, the system's.
    private var folders: [String] {
        let system = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        return [environment.path("XDG_RUNTIME_DIR"), environment.dataHome].compactMap(\.self)
            + system.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }

    private static func provides(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            return parts == ["Name", BrokerInterface.name]
        }
    }
}
