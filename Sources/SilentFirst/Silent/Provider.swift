import Identity
import Proofs
import Synchronization
package import Wire

/// Connections, metadata and keys of providers. One instance per process is enough for any number of clients.
package final class Provider: Sendable {
    private struct Connections: Sendable {
        let transport: Transport
        let discovery: Discovery
        let instances: InstanceDiscovery
        let keys: KeySet

        init(_ settings: NetworkSettings) {
            transport = Transport(settings)
            discovery = Discovery(transport: transport)
            instances = InstanceDiscovery(transport: transport)
            keys = KeySet(transport: transport)
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
    /// Nil until the first use, because a cached token needs none of it.
    private let made = Mutex<Connections?>(nil)

    /// - Parameter refreshes: shared with the code that ends the process.
    package init(_ settings: NetworkSettings, refreshes: RefreshesUnderWay = RefreshesUnderWay()) {
        (self.refreshes, self.settings) = (refreshes, settings)
    }

    private var connections: Connections {
        made.withLock { made in
            if let made { return made }
            let connections = Connections(settings)
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
