import CommandSupport
import Glibc
import Identity
import TokenCache

/// Units for the user's service manager: sockets from login on, and the agent, started on the first request.
struct AgentUnits {
    /// The user's unit folder, which has precedence over a package's.
    let folder: String
    private let environment: ProcessEnvironment

    static let socketName = "foyer-agent.socket"
    static let forwardName = "foyer-agent-forward.socket"
    static let serviceName = "foyer-agent.service"
    /// A unit without this line was not written by foyer.
    private static let mark = "# Written by \"foyer agent install\"; \"foyer agent uninstall\" removes it.\n"

    init(_ environment: ProcessEnvironment) {
        self.environment = environment
        folder = environment.configHome + "/systemd/user"
    }

    var paths: [String] { [Self.socketName, Self.forwardName, Self.serviceName].map { folder + "/" + $0 } }

    static let socket =
        mark + """
            [Unit]
            Description=Socket of the foyer agent

            [Socket]
            ListenStream=%t/foyer/agent.sock
            FileDescriptorName=agent
            SocketMode=0600
            DirectoryMode=0700

            [Install]
            WantedBy=sockets.target

            """

    static let forwardSocket =
        mark + """
            [Unit]
            Description=Socket of the foyer agent for other hosts and for containers

            [Socket]
            ListenStream=%t/foyer/forward.sock
            FileDescriptorName=forward
            Service=\(serviceName)
            SocketMode=0600
            DirectoryMode=0700

            [Install]
            WantedBy=sockets.target

            """

    /// Each limit is one that a user's service manager can set: not `CapabilityBoundingSet` and what implies it, with
    /// which it starts nothing, nor what needs a user namespace (`ProtectSystem`, `PrivateTmp` and similar), in which
    /// root's folders seem to belong to another user and no store is trusted.
    ///
    /// - Parameter program: absolute path of foyer.
    static func service(program: String) -> String {
        mark + """
            [Unit]
            Description=foyer agent, which refreshes access tokens
            Requires=\(socketName)

            [Service]
            Type=notify
            ExecStart=\(quoted(program)) agent --foreground
            Restart=on-failure
            LimitCORE=0
            UMask=0077
            KeyringMode=private
            NoNewPrivileges=yes
            LockPersonality=yes
            MemoryDenyWriteExecute=yes
            RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
            RestrictNamespaces=yes
            RestrictRealtime=yes
            RestrictSUIDSGID=yes
            SystemCallArchitectures=native
            SystemCallFilter=@system-service
            SystemCallFilter=~@resources @privileged
            SystemCallErrorNumber=EPERM

            [Install]
            WantedBy=default.target

            """
    }

    /// A path quoted for systemd.service(5), where `%`, `$`, quotes and backslashes are special.
    static func quoted(_ path: String) -> String {
        let text = path.reduce(into: "") { text, character in
            switch character {
            case "%", "$": text += [character, character]
            case "\"", "\\": text += ["\\", character]
            default: text.append(character)
            }
        }
        return "\"" + text + "\""
    }

    /// - Throws: `configuration` if a unit of that name is not foyer's or cannot be written.
    func write() throws(Failure) {
        for path in paths { _ = try isOurs(path) }
        let program = try Self.program()
        try SettingsFile(paths[0]).replace(with: Array(Self.socket.utf8), mode: 0o644)
        try SettingsFile(paths[1]).replace(with: Array(Self.forwardSocket.utf8), mode: 0o644)
        try SettingsFile(paths[2]).replace(with: Array(Self.service(program: program).utf8), mode: 0o644)
    }

    /// - Returns: whether any existed.
    func remove() throws(Failure) -> Bool {
        var isAny = false
        for path in paths where try isOurs(path) {
            isAny = true
            unlink(path)
        }
        return isAny
    }

    /// False when there is no such file.
    private func isOurs(_ path: String) throws(Failure) -> Bool {
        guard let bytes = try TextFile.readTrusted(path, limit: 65_536, what: "unit") else { return false }
        guard bytes.starts(with: Self.mark.utf8) else {
            throw Failure(
                .configuration, "\(path) was not written by foyer", hint: "move or delete it")
        }
        return true
    }

    /// The `foyer` executable next to this one or where it is installed; else this one.
    static func program() throws(Failure) -> String {
        guard let path = ProgramFile.front ?? ProgramFile.path, !path.contains("\n") else {
            throw Failure(.configuration, "cannot determine where foyer is installed")
        }
        return path
    }

    // MARK: The service manager

    private static let patience: Duration = .seconds(30)

    /// - Returns: whether `systemctl --user` succeeded for all commands.
    func tell(_ commands: [[String]]) -> Bool {
        guard let systemctl = environment.program("systemctl") else { return false }
        return commands.allSatisfy { command in
            let end = ChildProcess.run(
                systemctl, ["--user", "--no-ask-password"] + command, input: [], mostOutput: 65_536,
                limit: Self.patience)
            guard case .exited(0, _) = end else { return false }
            return true
        }
    }
}
