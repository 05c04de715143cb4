import CommandSupport
import Testing

@Suite struct PinentryTests {
    @Test(
        arguments: [
            ("OK", true), ("OK yes", true), ("ERR 83886194 not confirmed", false), ("ERR 83886179 cancelled", false),
            ("ERR 67109139 unknown command", nil), ("ERR x", nil), ("", nil),
        ] as [(String, Bool?)])
    func `The answer to a question is yes, no, or none`(answer: String, verdict: Bool?) {
        let before = ["OK ready", "OK", "# a comment", "OK", "OK", "S status", "OK"]
        let output = (before + [answer, "OK"]).map { $0 + "\n" }.joined()
        if answer.isEmpty {
            #expect(Pinentry.verdict(in: Array((before.joined(separator: "\n") + "\n").utf8)) == nil)
        } else {
            #expect(Pinentry.verdict(in: Array(output.utf8)) == verdict)
        }
    }
}
