package import Wire

/// What is known of providers: connections, metadata and keys. One for a process is enough, whatever the number of
/// clients.
package final class Provider: Sendable {
    package let transport: Transport
    let discovery: Discovery
    let instances: InstanceDiscovery
    let keys: KeySet
    /// The newest nonce of each origin that wants one in proofs.
    let nonces = ProofNonces()
    let refreshes: RefreshesUnderWay

    /// - Parameter refreshes: shared by whoever watches over the end of the process.
    package init(
        _ settings: NetworkSettings, refreshes: RefreshesUnderWay = RefreshesUnderWay()
    ) {
        self.refreshes = refreshes
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

    /// Closes the connections, once the answer to every refresh that was sent has come and is stored.
    package func close() async {
        await refreshes.stored()
        await transport.close()
    }
}
