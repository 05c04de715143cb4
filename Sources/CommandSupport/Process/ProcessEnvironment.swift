import Glibc
package import Identity
import TokenCache

/// Environment variables and the folders that they determine.
package struct ProcessEnvironment: Sendable {
    private let lookUp: @Sendable (String) -> String?
    private let namedFolder: String?
    /// Whether the process acts for the person, whatever started it: a resident process has its callers' sessions.
    package private(set) var isOfPerson = false

    /// - Parameter workingFolder: an absolute path; nil for the process's own.
    package init(
        workingFolder: String? = nil,
        _ lookUp: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        namedFolder = workingFolder
        self.lookUp = lookUp
    }

    /// A copy in which these variables take precedence.
    package func with(_ variables: [String: String]) -> ProcessEnvironment {
        var copy = ProcessEnvironment(workingFolder: namedFolder) { [lookUp] in variables[$0] ?? lookUp($0) }
        copy.isOfPerson = isOfPerson
        return copy
    }

    /// A copy whose variables mark no AI agent's session.
    package var ofPerson: ProcessEnvironment {
        var copy = self
        copy.isOfPerson = true
        return copy
    }

    /// The value; nil if unset or empty. Linux limits it to 128 KiB.
    package subscript(name: String) -> String? {
        guard let value = lookUp(name), !value.isEmpty else { return nil }
        return value
    }

    /// The value of a variable that decides whose token is issued. A value of more than `limit` bytes must not count as
    /// unset, so it throws `invalidInput`.
    package func bounded(_ name: String, limit: Int) throws(Failure) -> String? {
        guard let value = self[name] else { return nil }
        guard value.utf8.count <= limit else {
            throw Failure(.invalidInput, "\(name) is longer than \(limit) bytes", hint: "shorten it, or unset it")
        }
        return value
    }

    /// `HOME` if it is absolute and the user owns it, else the home folder in the user database.
    package var home: String {
        if let home = path("HOME"), isOwn(home) { return home }
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return "/nonexistent" }
        return String(cString: directory)
    }

    package var configHome: String { folder("XDG_CONFIG_HOME", ".config") }
    package var configFolder: String { configHome + "/foyer" }
    package var dataHome: String { folder("XDG_DATA_HOME", ".local/share") }
    package var dataFolder: String { dataHome + "/foyer" }
    package var stateFolder: String { folder("XDG_STATE_HOME", ".local/state") + "/foyer" }

    /// The locale for text, in POSIX's order of the variables.
    package var locale: String? { self["LC_ALL"] ?? self["LC_CTYPE"] ?? self["LANG"] }

    package func abbreviate(_ path: String) -> String {
        path.hasPrefix(home + "/") ? "~" + String(Substring(path.utf8.dropFirst(home.utf8.count))) : path
    }

    /// Expands `~` and `~/…`; a relative path is resolved against the working folder.
    package func expand(_ path: String) -> String {
        if path == "~" { return home }
        if path.hasPrefix("~/") { return home + path.dropFirst(1) }
        if path.hasPrefix("/") { return path }
        return workingFolder.map { $0 + "/" + path } ?? path
    }

    /// The base of relative paths; nil if the process's working folder was deleted.
    package var workingFolder: String? {
        namedFolder ?? currentFolder()
    }

    /// The absolute path in a variable; nil for another value, which by the XDG specification counts as unset.
    package func path(_ variable: String) -> String? { self[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }

    private func folder(_ variable: String, _ fallback: String) -> String {
        // Another user's folder is ignored, as for HOME.
        if let value = path(variable), isOwn(value) { return value }
        return home + "/" + fallback
    }

    private func isOwn(_ path: String) -> Bool {
        var status = stat()
        // A missing folder is accepted; another user's folder (sudo -E) is not.
        guard stat(path, &status) == 0 else { return true }
        return status.st_uid == getuid()
    }

    // MARK: For the sign-in method

    package var isOverSSH: Bool { self["SSH_CONNECTION"] != nil || self["SSH_TTY"] != nil }
    package var hasDisplay: Bool { self["WAYLAND_DISPLAY"] != nil || self["DISPLAY"] != nil }
    package var isWSL: Bool { self["WSL_DISTRO_NAME"] != nil || self["WSL_INTEROP"] != nil }
    /// Docker, Podman and systemd-nspawn set these.
    package var isContainer: Bool {
        self["container"] != nil || access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0
    }

    package func program(_ name: String) -> String? {
        if name.contains("/") { return ProgramFile.isExecutable(name) ? name : nil }
        for folder in (self["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") where folder.hasPrefix("/")
        {
            let path = folder + "/" + name
            if ProgramFile.isExecutable(path) { return path }
        }
        return nil
    }
}
