import Crypto
import FoundationEssentials
import Glibc
import Identity
import NIOSSL

/// X.509 certificates written by hand, so that they can be wrong in one way each.
struct HomemadeCertificate {
    /// What a certificate says; the defaults are right for 127.0.0.1.
    struct Claims: Sendable {
        var commonName = "stub"
        var names = ["localhost"]
        var address: [UInt8]? = [127, 0, 0, 1]
        var begins = "200101000000Z"
        var ends = "491231235959Z"
        var isAuthority = false
        /// `serverAuth` is 1 and `clientAuth` 2 at the end of 1.3.6.1.5.5.7.3.
        var usage: UInt8? = 1
    }

    let der: [UInt8]
    let key: P256.Signing.PrivateKey
    let commonName: String

    /// - Parameter issuer: nil for a certificate that signs itself.
    init(_ claims: Claims, issuer: HomemadeCertificate? = nil) throws {
        key = P256.Signing.PrivateKey()
        commonName = claims.commonName
        let algorithm = Self.sequence([0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])
        var extensions: [UInt8] = []
        var names = claims.names.flatMap { Self.value(0x82, Array($0.utf8)) }
        if let address = claims.address { names += Self.value(0x87, address) }
        if !names.isEmpty { extensions += Self.addition([0x55, 0x1D, 0x11], Self.sequence(names)) }
        if claims.isAuthority { extensions += Self.addition([0x55, 0x1D, 0x13], Self.sequence([0x01, 1, 0xFF])) }
        if let usage = claims.usage {
            extensions += Self.addition([0x55, 0x1D, 0x25], Self.sequence([0x06, 8, 0x2B, 6, 1, 5, 5, 7, 3, usage]))
        }
        let serial = Self.value(0x02, [1] + (0..<8).map { _ in UInt8.random(in: 0...255) })
        let times = Self.value(0x17, Array(claims.begins.utf8)) + Self.value(0x17, Array(claims.ends.utf8))
        let body = Self.sequence(
            Self.value(0xA0, [0x02, 1, 2]) + serial + algorithm + Self.name(issuer?.commonName ?? claims.commonName)
                + Self.sequence(times)
                + Self.name(claims.commonName) + Array(key.publicKey.derRepresentation)
                + Self.value(0xA3, Self.sequence(extensions)))
        let signature = try (issuer?.key ?? key).signature(for: body).derRepresentation
        der = Self.sequence(body + algorithm + Self.value(0x03, [0] + Array(signature)))
    }

    /// What a server presents.
    func context() throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: der, format: .der)
        let privateKey = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(privateKey)))
    }

    /// A file of this certificate for the time of `body`.
    func file<T>(_ body: (String) async throws -> T) async throws -> T {
        let text = "-----BEGIN CERTIFICATE-----\n\(Data(der).base64EncodedString())\n-----END CERTIFICATE-----\n"
        var template = Array("/tmp/foyer-wire-tests-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unlink(path) }
        _ = text.withCString { write(descriptor, $0, strlen($0)) }
        close(descriptor)
        return try await body(path)
    }

    private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case ..<128: [tag, UInt8(content.count)] + content
        case ..<256: [tag, 0x81, UInt8(content.count)] + content
        default: [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
        }
    }

    private static func sequence(_ content: [UInt8]) -> [UInt8] { value(0x30, content) }

    private static func name(_ text: String) -> [UInt8] {
        sequence(value(0x31, sequence([0x06, 3, 0x55, 4, 3] + value(0x0C, Array(text.utf8)))))
    }

    private static func addition(_ identifier: [UInt8], _ content: [UInt8]) -> [UInt8] {
        sequence(value(0x06, identifier) + value(0x04, content))
    }
}
