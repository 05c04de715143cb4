package import CommandSupport
import Glibc
import Identity
package import Logging

/// The sockets of one agent: the one that the programs of this machine ask, and the one for other hosts and for
/// containers, which is served by the settings of `[forward]`.
package struct AgentSockets: Sendable {
    package let main: AgentSocket
    /// Nil where it cannot be made.
    package let forward: AgentSocket?

    /// The first descriptor that is handed over, by the protocol of sd_listen_fds(3).
    private static let firstDescriptor: Int32 = 3
    private static let most: Int32 = 16
    /// What `FileDescriptorName=` calls them, and how the agent names those that it has made itself when it hands them
    /// to the program that it becomes.
    private static let names = (main: "agent", forward: "forward", ownMain: "foyer-own", ownForward: "foyer-forward")

    /// Takes over what systemd, or this agent before it became a newer program, has left open, and makes the rest.
    ///
    /// - Throws: `configuration` where there is no place for a socket; ``AgentSocket/AlreadyRunning``.
    package static func open(_ environment: ProcessEnvironment, _ logger: Logger) throws -> AgentSockets {
        let handed = try handedOver()
        let main = try handed.main ?? AgentSocket(at: AgentPlace(environment))
        if let forward = handed.forward { return AgentSockets(main: main, forward: forward) }
        do { return AgentSockets(main: main, forward: try AgentSocket(at: main.place.forForwarding)) } catch {
            let why = (error as? Failure)?.message ?? "\(error)"
            logger.warning("no other host and no container can be served: \(why)")
            return AgentSockets(main: main, forward: nil)
        }
    }

    private static func handedOver() throws(Failure) -> (main: AgentSocket?, forward: AgentSocket?) {
        let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        let values = variables.map { name in getenv(name).map { String(cString: $0) } }
        for name in variables { unsetenv(name) }
        guard let pid = values[0].flatMap({ pid_t($0) }), pid == getpid(), let count = values[1].flatMap({ Int32($0) }),
            count > 0, count <= most
        else { return (nil, nil) }
        let given = values[2]?.split(separator: ":", omittingEmptySubsequences: false).map(String.init) ?? []
        var main: AgentSocket?
        var forward: AgentSocket?
        for index in 0..<count {
            let descriptor = firstDescriptor + index
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let name = Int(index) < given.count ? given[Int(index)] : ""
            let isForward = name == names.forward || name == names.ownForward
            let isOwn = name == names.ownMain || name == names.ownForward
            if (isForward ? forward : main) == nil,
                let socket = AgentSocket(handedOver: descriptor, isOwn: isOwn)
            {
                if isForward { forward = socket } else { main = socket }
            } else {
                close(descriptor)
            }
        }
        guard main != nil || forward != nil else {
            throw Failure(
                .configuration, "none of the sockets that were handed over is a listening Unix socket with a path",
                hint: "use ListenStream= with a path in the socket unit")
        }
        return (main, forward)
    }

    /// Leaves the sockets open for the program that this process becomes, as systemd would.
    package func handOver() {
        let open = [main, forward].compactMap(\.self)
        // Out of the way first, as one may have the number that another one gets.
        let copies = open.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, Self.firstDescriptor + Self.most) }
        for (index, copy) in copies.enumerated() { dup2(copy, Self.firstDescriptor + Int32(index)) }
        var given = [main.isOwn ? Self.names.ownMain : Self.names.main]
        if let forward { given.append(forward.isOwn ? Self.names.ownForward : Self.names.forward) }
        setenv("LISTEN_PID", String(getpid()), 1)
        setenv("LISTEN_FDS", String(open.count), 1)
        setenv("LISTEN_FDNAMES", given.joined(separator: ":"), 1)
    }

    /// Takes the paths away, where they are ours.
    package func remove() {
        main.remove()
        forward?.remove()
    }
}
