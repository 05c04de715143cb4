import Testing

@testable import Identity

@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `The vectors of RFC 4648 section 10, without padding`(_ plain: String, _ text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test func `The alphabet of section 5 goes both ways for every byte`() {
        let bytes = (0...255).map(UInt8.init)
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    }

    @Test func `The verifier's bytes of RFC 7636 appendix B`() {
        let bytes: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191,
            240, 91, 88, 5, 88,
            83, 132, 141, 121,
        ]
        #expect(Base64URL.encode(bytes) == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    }

    @Test(arguments: ["Zg==", "Zm9v\n", " Zm9v", "Zm+v", "Zm/v", "Z", "Zh", "Zm9", "é", "Zm9vYmE="])
    func `What encoding would not write is refused`(_ text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test func `client_info comes in both alphabets, padded or not`() {
        #expect(Base64URL.decodeLeniently("+/8=") == [0xFB, 0xFF])
        #expect(Base64URL.decodeLeniently("-_8") == [0xFB, 0xFF])
        #expect(Base64URL.decodeLeniently("*") == nil)
    }
}
