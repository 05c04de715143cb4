import Identity
import Proofs
import Synchronization
package import Wire

/// Replaces the network, ports and the time that passes, for tests of programs.
package struct NetworkDouble: Sendable {
    let exchange: Transport.Exchange
    /// Time since an arbitrary moment.
    let uptime: @Sendable () -> Duration
    /// - Throws: if the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    package init(
        exchange: @escaping Transport.Exchange, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.exchange, self.uptime, self.sleep) = (exchange, uptime, sleep)
    }
}

/// Connections, metadata and keys of providers. One instance per process is enough for any number of clients.
package final class Provider: Sendable {
    private struct Connections: Sendable {
        let transport: Transport
        let discovery: Discovery
        let instances: InstanceDiscovery
        let keys: KeySet

        init(_ settings: NetworkSettings, _ double: NetworkDouble?) {
            transport = Transport(settings, exchange: double?.exchange)
            let now: @Sendable () -> Duration = if let double { double.uptime } else { { BootClock.now } }
            discovery = Discovery(transport: transport, now: now)
            instances = InstanceDiscovery(transport: transport)
            keys = KeySet(transport: transport, now: now)
        }
    }

    package var transport: Transport { connections.transport }
    var discovery: Discovery { connections.discovery }
    var instances: InstanceDiscovery { connections.instances }
    var keys: KeySet { connections.keys }
    /// The latest nonce of each origin that requires one in proofs.
    let nonces = ProofNonces()
    let refreshes: RefreshesUnderWay
    private let settings: NetworkSettings
    private let double: NetworkDouble?
    /// Nil until the first use, because a cached token needs none of it.
    private let made = Mutex<Connections?>(nil)

    /// - Parameter refreshes: shared with the code that ends the process.
    package init(
        _ settings: NetworkSettings, refreshes: RefreshesUnderWay = RefreshesUnderWay(), double: NetworkDouble? = nil
    ) {
        (self.refreshes, self.settings, self.double) = (refreshes, settings, double)
    }

    /// How long a caller waits for one answer; nil if no time passes, as there is no network.
    var patience: Duration? { double == nil ? settings.patience : nil }

    /// How long the answer to a refresh is read on after the caller has given up: a provider that replaces refresh
    /// tokens has spent the old one, and the answer is the only copy of the new one.
    static let longestAnswer: Duration = .seconds(60)

    /// Whether a browser's redirect can be received on a port.
    var opensPorts: Bool { double == nil }

    /// Time since the machine started, sleep included.
    var uptime: Duration { double?.uptime() ?? BootClock.now }

    func sleep(_ time: Duration) async throws {
        if let double { try await double.sleep(time) } else { try await Task.sleep(for: time) }
    }

    private var connections: Connections {
        made.withLock { made in
            if let made { return made }
            let connections = Connections(settings, double)
            made = connections
            return connections
        }
    }

    /// Closes the connections after all pending refreshes are saved.
    package func close() async {
        await refreshes.stored()
        guard let transport = made.withLock({ $0?.transport }) else { return }
        await transport.close()
    }
}
