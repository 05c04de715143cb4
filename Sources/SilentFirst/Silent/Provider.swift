import Synchronization
package import Wire

/// What is known of providers: connections, metadata and keys. One for a process is enough, whatever the number of
/// clients.
package final class Provider: Sendable {
    /// What is only needed once something is sent.
    private struct Connections: Sendable {
        let transport: Transport
        let discovery: Discovery
        let instances: InstanceDiscovery
        let keys: KeySet

        init(_ settings: NetworkSettings) {
            transport = Transport(
                TransportSettings(
                    certificateFile: settings.certificateFile, httpsProxy: settings.httpsProxy,
                    httpProxy: settings.httpProxy,
                    noProxy: settings.noProxy, timeout: .seconds(min(max(settings.timeout, 0.1), 3600)),
                    product: settings.productName))
            discovery = Discovery(transport: transport)
            instances = InstanceDiscovery(transport: transport)
            keys = KeySet(transport: transport)
        }
    }

    package var transport: Transport { connections.transport }
    var discovery: Discovery { connections.discovery }
    var instances: InstanceDiscovery { connections.instances }
    var keys: KeySet { connections.keys }
    /// The newest nonce of each origin that wants one in proofs.
    let nonces = ProofNonces()
    let refreshes: RefreshesUnderWay
    private let settings: NetworkSettings
    /// Nil until the first use: a token from the cache needs none of it.
    private let made = Mutex<Connections?>(nil)

    /// - Parameter refreshes: shared by whoever watches over the end of the process.
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

    /// Closes the connections, once the answer to every refresh that was sent has come and is stored.
    package func close() async {
        await refreshes.stored()
        guard let transport = made.withLock({ $0?.transport }) else { return }
        await transport.close()
    }
}
