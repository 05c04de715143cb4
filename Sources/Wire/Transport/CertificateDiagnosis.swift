import FoundationEssentials
import Glibc
import Identity
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The TLS library accepts a common name as the host name, and does not say why a certificate is invalid.
enum CertificateDiagnosis {
    /// Closes a connection, before anything is sent, if the certificate has the host only in the common name (RFC 9525
    /// section 6.3). Call it after the handshake, on the channel's event loop.
    static func requireName(of channel: any Channel) -> EventLoopFuture<Void> {
        let certificate: NIOSSLCertificate?
        do { certificate = try channel.pipeline.syncOperations.nioSSL_peerCertificate() } catch { certificate = nil }
        guard let certificate, certificate._subjectAlternativeNames().isEmpty else {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        let refused = channel.eventLoop.makePromise(of: Void.self)
        channel.close().whenComplete { _ in refused.fail(TLSProblem.noName) }
        return refused.futureResult
    }

    /// Checks the dates of an untrusted server's certificates, on a separate connection that ends during the handshake.
    /// Returns nil if they are valid or the certificates are unavailable.
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
            // A result that was already found remains valid.
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
