import Identity
import Proofs
import Testing

@testable import Wire

@Suite struct PKCETests {
    @Test func `The verifier of RFC 7636 appendix B has the challenge that stands there`() {
        let pkce = PKCE(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `Each request has a new verifier of 43 characters that RFC 7636 allows`() {
        let verifiers = (0..<200).map { _ in PKCE().verifier.reveal() }
        #expect(Set(verifiers).count == 200)
        for verifier in verifiers {
            #expect(verifier.utf8.count == 43)
            #expect(Base64URL.decode(verifier)?.count == 32)
        }
    }

    @Test func `Random texts hold as many bytes as were asked for`() {
        for count in [0, 1, 16, 32, 64] { #expect(Base64URL.decode(Random.token(bytes: count))?.count == count) }
    }
}
