import Crypto
import FoundationEssentials
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority and a server certificate, created at startup. Only the authority's certificate is saved.
struct Certificates {
    var authorityPEM: String
    var tls: TLSConfiguration

    init() throws {
        let now = Date()
        let start = now - 3600
        let end = now + 30 * 86400
        let authorityKey = P256.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        let authorityName = try DistinguishedName { CommonName("Foyer sandbox authority") }
        let authorityIdentifier = SubjectKeyIdentifier(hash: Certificate.PublicKey(authorityKey.publicKey))
        let authority = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(authorityKey.publicKey),
            notValidBefore: start,
            notValidAfter: end, issuer: authorityName, subject: authorityName, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                authorityIdentifier
            }, issuerPrivateKey: .init(authorityKey))
        let leaf = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(leafKey.publicKey),
            notValidBefore: start,
            notValidAfter: end, issuer: authorityName, subject: try DistinguishedName { CommonName("localhost") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectKeyIdentifier(hash: Certificate.PublicKey(leafKey.publicKey))
                AuthorityKeyIdentifier(keyIdentifier: authorityIdentifier.keyIdentifier)
                SubjectAlternativeNames([
                    .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                    .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 2])),
                    .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
                ])
            }, issuerPrivateKey: .init(authorityKey))
        authorityPEM = try authority.serializeAsPEM().pemString + "\n"
        tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(
                    try NIOSSLCertificate(bytes: Array(try leaf.serializeAsPEM().pemString.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem)))
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
    }
}
