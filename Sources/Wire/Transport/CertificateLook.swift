import FoundationEssentials
import Glibc
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// What the TLS library does not do: it takes a common name for a host's, and does not say why a certificate is not
/// valid.
enum CertificateLook {
    /// Ends a connection, before anything is sent on it, whose certificate names no host but in its common name: the
    /// library falls back to that (RFC 9525 section 6.3 does not).
    ///
    /// - Parameter channel: with its handshake behind it; called on its event loop.
    static func requireName(of channel: any Channel) -> EventLoopFuture<Void> {
        let certificate: NIOSSLCertificate?
        // Without TLS there is no handler to ask.
        do { certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate() } catch { certificate = nil }
        guard let certificate, certificate._subjectAlternativeNames().isEmpty else {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let refused = channel.eventLoop.makePromise(of: Void.self)
        channel.close().whenComplete { _ in refused.fail(TLSProblem.noName) }
        return refused.futureResult
    }

    /// Looks at the certificates of a server that the library did not trust, on a connection of its own that always
    /// ends within the handshake.
    ///
    /// - Returns: what the calendar says of them; nil when it has nothing against them, or they could not be had.
    static func problem(at address: WebAddress, timeout: Duration, now: Date = Date()) async -> TLSProblem? {
        let found = Mutex<TLSProblem?>(nil)
        do {
            let context = try NIOSSLContext(configuration: .makeClientConfiguration())
            let isLiteral =
                address.host.contains(":") || address.host.split(separator: ".").allSatisfy { UInt8($0) != nil }
            let name = isLiteral ? nil : address.host
            let channel = try await ClientBootstrap(group: EventLoops.group)
                .connectTimeout(TimeAmount(timeout))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(
                                context: context, serverHostname: name,
                                customVerificationCallback: {
                                    (chain: [NIOSSLCertificate], verdict: EventLoopPromise<NIOSSLVerificationResult>) in
                                    let problem = chain.lazy.compactMap { Self.problem($0, now) }.first
                                    found.withLock { $0 = problem }
                                    verdict.succeed(.failed)
                                }))
                    }
                }
                .connect(host: address.host, port: address.port ?? 443).get()
            let end = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) { channel.close(promise: nil) }
            try await channel.closeFuture.get()
            end.cancel()
        } catch {
            // What was found is still good; a connection that did not come about found nothing.
        }
        return found.withLock { $0 }
    }

    private static func problem(_ certificate: NIOSSLCertificate, _ now: Date) -> TLSProblem? {
        let time = now.timeIntervalSince1970
        if TimeInterval(certificate.notValidAfter) < time { return .expired(day(certificate.notValidAfter)) }
        if TimeInterval(certificate.notValidBefore) > time { return .notYetValid(day(certificate.notValidBefore)) }
        return nil
    }

    private static func day(_ time: time_t) -> String {
        Date(timeIntervalSince1970: TimeInterval(time)).formatted(.iso8601.year().month().day())
    }
}

extension TLSProblem: Error {}
