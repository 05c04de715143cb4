import Identity
import Testing

@Suite struct ServerCodeTests {
    @Test func `At least a hundred numbers of Entra ID are known, each once`() {
        let entra = ServerCode.all.filter { $0.origin == .entra }
        #expect(entra.count >= 100)
        #expect(Set(ServerCode.all.map(\.label)).count == ServerCode.all.count)
        #expect(ServerCode.all.filter { $0.origin == .b2c }.count >= 20)
    }

    @Test(arguments: ServerCode.all) func `Each number has the provider's own name and is found by itself`(
        code: ServerCode
    ) {
        #expect(
            !code.name.isEmpty && code.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }, "\(code.label)")
        #expect(ServerCode.known(code.number, origin: code.origin) == code)
    }

    @Test(arguments: [
        ("AADSTS50076", "AADSTS50076"), ("aadsts50076: Due to a configuration change", "AADSTS50076"),
        ("50076", "AADSTS50076"),
        ("AADB2C90118: The user has forgotten their password.", "AADB2C90118"), ("MSIS9605", "MSIS9605"),
        ("see AADSTS700082: the refresh token has expired", "AADSTS700082"),
    ]) func `A number is found as a person copies it`(text: String, label: String) {
        #expect(ServerCode.known(in: text)?.label == label)
    }

    @Test(arguments: [
        "", "AADSTS", "AADSTS1", "1", "no number", "AADSTS99999999999999999999", "AADB2C50076", "９", "-50076",
    ])
    func `What is no known number is nothing`(text: String) {
        #expect(ServerCode.known(in: text) == nil)
    }

    @Test func `Mentions are found in order, once, and not without bound`() {
        let text = "AADSTS50076: x AADSTS50076 AADSTS9002313, AADB2C90091"
        #expect(ServerCode.mentions(in: text).map(\.number) == [50076, 9_002_313, 90091])
        let flood = (1...5000).map { "AADSTS\($0)" }.joined(separator: " ")
        #expect(ServerCode.mentions(in: flood).count == 20)
        #expect(ServerCode.mentions(in: String(repeating: "AADSTS", count: 5000)).isEmpty)
    }

    @Test func `The same number means something else to each provider`() {
        #expect(ServerCode.known(90006)?.effect == .passing)
        #expect(ServerCode.known(90006, origin: .b2c)?.effect == .refused)
    }
}
