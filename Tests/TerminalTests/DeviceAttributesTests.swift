import Testing

@testable import Terminal

@Suite struct DeviceAttributesTests {
    @Test(arguments: ["\u{1B}[?1;2c", "\u{1B}[?62;4;22c", "typed ahead\u{1B}[?6c", "\u{1B}[?2004$y\u{1B}[?64;1;2c"])
    func `An answer is found among what was read`(text: String) {
        #expect(DeviceAttributes.contains(Array(text.utf8)))
    }

    @Test(arguments: ["", "\u{1B}[?c", "\u{1B}[?62;1", "\u{1B}[c", "?1;2c", "\u{1B}[>0;276;0c", "\u{1B}[?1;2R", "abc"])
    func `What is no answer is none`(text: String) { #expect(!DeviceAttributes.contains(Array(text.utf8))) }
}
