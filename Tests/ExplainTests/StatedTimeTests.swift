import Identity
import Testing

@testable import Explain

@Suite struct StatedTimeTests {
    @Test(arguments: [
        ("inactive for 12:00:00.", 43_200), ("inactive for 12:00:00", 43_200), ("inactive for 90.00:00:00.", 7_776_000),
        ("inactive for 1.02:03:04.5000000.", 93_784), ("inactive for 00:00:01, then", 1),
        ("inactive for 2592000. Trace", 2_592_000), ("inactive for 60", 60),
        ("was inactive for 3652.00:00:00", 315_532_800),
    ])
    func `A length of time is read as Entra ID writes it: days, hours, minutes, seconds, or seconds alone`(
        text: String, seconds: Int
    ) {
        #expect(StatedTime.seconds(in: text, after: "inactive for ") == seconds)
    }

    @Test(arguments: [
        "", "inactive for ", "inactive for .", "inactive for ever", "inactive for -1", "inactive for 0",
        "inactive for 00:00:00", "inactive for 24:00:00", "inactive for 12:60:00", "inactive for 12:00:60",
        "inactive for 12:00", "inactive for 12:00:00:00", "inactive for 1.2.03:04:05", "inactive for 4000.00:00:00",
        "inactive for 315576001", "inactive for 99999999999999999999", "inactive for 12:00:00x", "inactive for 90 days",
        "inactive for 90days", "inactive for 2592000, or",
        "inactive for 12h", "inactive for \u{0661}2:00:00", "inactive for 12:00:00.12345678", "inactive for 12::00",
        "inactive for :12:00", "inactive for 1.5", "active for 12:00:00",
    ])
    func `What is no whole and plausible length of time is none`(text: String) {
        #expect(StatedTime.seconds(in: text, after: "inactive for ") == nil)
    }

    @Test(arguments: [
        (
            70008, "The token was issued on 2024-01-01T00:00:00Z and was inactive for 14.00:00:00.",
            "the refresh token was not used for 14 days and has expired"
        ),
        (
            700_082, "Inactive for 12:00:00", "the refresh token was not used for 12 h and has expired"
        ),
        (
            700_084, "has a fixed, limited lifetime of 1.00:00:00, which cannot be extended.",
            "the refresh token came from a web page, where it expires after 1 day"
        ),
        (
            70043, "and the maximum allowed lifetime for this request is 2592000.",
            "the tenant requires a new sign-in every 30 days"
        ),
    ])
    func `The explanation of a number has the time that the description states`(
        number: Int, description: String, explanation: String
    ) throws {
        let meaning = try #require(ServerCodeMeaning.of(number))
        #expect(meaning.stating(description).explanation == explanation)
        #expect(meaning.stating(description).remedy == meaning.remedy)
        for other in [nil, "", "inactive for ever"] { #expect(meaning.stating(other) == meaning) }
    }

    @Test func `No explanation has a time of its own that a description could contradict`() {
        for meaning in ServerCodeMeaning.all {
            #expect(!meaning.explanation.contains(/[0-9]+ (second|minute|hour|day|month)/), "\(meaning.label)")
        }
        #expect(ServerCodeMeaning.of(50076)?.stating("inactive for 12:00:00") == ServerCodeMeaning.of(50076))
    }
}
