package import CommandSupport
import Glibc
import Identity
package import Logging

/// The sockets of an agent: one for programs of this machine, one for other hosts and containers, governed by
/// `[forward]`.
package struct AgentSockets: Sendable {
    package let main: AgentSocket
    package let forward: AgentSocket?

    /// The first inherited descriptor, see sd_listen_fds(3).
    private static let firstDescriptor: Int32 = 3
    private static let most: Int32 = 16
    /// The names in `FileDescriptorName=`, and the agent's own for sockets that it passes to its next executable.
    private static let names = (main: "agent", forward: "forward", ownMain: "foyer-own", ownForward: "foyer-forward")

    /// Inherits sockets from systemd or from this agent's previous executable, and creates the missing ones.
    ///
    /// - Throws: `configuration` if no socket can be created; ``AgentSocket/AlreadyRunning``.
    package static func open(_ environment: ProcessEnvironment, _ logger: Logger) throws -> AgentSockets {
        let handed = try handedOver()
        let main = try handed.main ?? AgentSocket(at: AgentPlace(environment))
        if let forward = handed.forward { return AgentSockets(main: main, forward: forward) }
        do { return AgentSockets(main: main, forward: try AgentSocket(at: main.place.forForwarding)) } catch {
            let why = (error as? Failure)?.message ?? "\(error)"
            logger.warning("forwarding unavailable: \(why)")
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
                .configuration, "no listening Unix socket was passed in",
                hint: "use ListenStream= with a path in the socket unit")
        }
        return (main, forward)
    }

    /// Leaves the sockets open for the executable that replaces this one, as systemd would.
    package func handOver() {
        let open = [main, forward].compactMap(\.self)
        // Duplicate them out of the way first: one may have the number that another one needs.
        let copies = open.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, Self.firstDescriptor + Self.most) }
        for (index, copy) in copies.enumerated() { dup2(copy, Self.firstDescriptor + Int32(index)) }
        var given = [main.isOwn ? Self.names.ownMain : Self.names.main]
        if let forward { given.append(forward.isOwn ? Self.names.ownForward : Self.names.forward) }
        setenv("LISTEN_PID", String(getpid()), 1)
        setenv("LISTEN_FDS", String(open.count), 1)
        setenv("LISTEN_FDNAMES", given.joined(separator: ":"), 1)
    }

    package func remove() {
        main.remove()
        forward?.remove()
    }
}
