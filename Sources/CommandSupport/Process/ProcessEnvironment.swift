import Glibc
package import Identity

/// The environment variables and places that matter, read once and bounded.
package struct ProcessEnvironment: Sendable {
    private let lookUp: @Sendable (String) -> String?
    private let namedFolder: String?

    /// - Parameter workingFolder: absolute; nil for the process's own.
    package init(
        workingFolder: String? = nil,
        _ lookUp: @escaping @Sendable (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) {
        namedFolder = workingFolder
        self.lookUp = lookUp
    }

    /// The same with variables of its own, which go first.
    package func with(_ variables: [String: String]) -> ProcessEnvironment {
        ProcessEnvironment(workingFolder: namedFolder) { [lookUp] in variables[$0] ?? lookUp($0) }
    }

    /// The value, or nil when it is unset or empty. Linux hands on none of more than 128 KiB.
    package subscript(name: String) -> String? {
        guard let value = lookUp(name), !value.isEmpty else { return nil }
        return value
    }

    /// The value of a variable that decides for whom a token is: what is too long is not taken for "not set".
    ///
    /// - Parameter limit: bytes.
    /// - Throws: `invalidInput` for a longer one.
    package func bounded(_ name: String, limit: Int) throws(Failure) -> String? {
        guard let value = self[name] else { return nil }
        guard value.utf8.count <= limit else {
            throw Failure(.invalidInput, "\(name) is longer than \(limit) bytes", hint: "shorten it, or unset it")
        }
        return value
    }

    /// The person's home folder: `HOME` when it is absolute and theirs, else as the user database says.
    package var home: String {
        if let home = self["HOME"], home.hasPrefix("/"), isOwn(home) { return home }
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return "/nonexistent" }
        return String(cString: directory)
    }

    package var configFolder: String { folder("XDG_CONFIG_HOME", ".config") + "/foyer" }
    package var dataFolder: String { folder("XDG_DATA_HOME", ".local/share") + "/foyer" }
    package var stateFolder: String { folder("XDG_STATE_HOME", ".local/state") + "/foyer" }

    /// That of text, by POSIX's order of the variables.
    package var locale: String? { self["LC_ALL"] ?? self["LC_CTYPE"] ?? self["LANG"] }

    /// The path with `~` for the home folder.
    package func abbreviate(_ path: String) -> String {
        path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path
    }

    /// `~` and `~/…` stand for the home folder; a relative path is one of the working folder.
    package func expand(_ path: String) -> String {
        if path == "~" { return home }
        if path.hasPrefix("~/") { return home + path.dropFirst(1) }
        if path.hasPrefix("/") { return path }
        return workingFolder.map { $0 + "/" + path } ?? path
    }

    /// What relative paths are meant from; nil where the process has none any more.
    package var workingFolder: String? {
        if let namedFolder { return namedFolder }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard getcwd(&buffer, buffer.count) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func folder(_ variable: String, _ fallback: String) -> String {
        // The XDG rules: a relative value counts as unset. One of somebody else is no more believed than their HOME.
        if let value = self[variable], value.hasPrefix("/"), isOwn(value) { return value }
        return home + "/" + fallback
    }

    private func isOwn(_ path: String) -> Bool {
        var status = stat()
        // A folder that does not exist yet is the person's word; one of somebody else (sudo -E) is not used.
        guard stat(path, &status) == 0 else { return true }
        return status.st_uid == getuid()
    }

    // MARK: What a sign-in goes by

    package var isOverSSH: Bool { self["SSH_CONNECTION"] != nil || self["SSH_TTY"] != nil }
    package var hasDisplay: Bool { self["WAYLAND_DISPLAY"] != nil || self["DISPLAY"] != nil }
    package var isWSL: Bool { self["WSL_DISTRO_NAME"] != nil || self["WSL_INTEROP"] != nil }
    /// Docker, Podman and systemd-nspawn leave these marks.
    package var isContainer: Bool {
        self["container"] != nil || access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0
    }

    /// The full path of a program on `PATH`, or nil.
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
