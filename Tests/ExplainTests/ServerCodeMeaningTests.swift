import Identity
import Testing

@testable import Explain

@Suite struct ServerCodeMeaningTests {
    @Test func `Every number that a client acts on is explained, each once, and no other`() {
        #expect(Set(ServerCodeMeaning.all.map(\.label)) == Set(ServerCode.all.map(\.label)))
        #expect(ServerCodeMeaning.all.count == ServerCode.all.count)
    }

    @Test(arguments: ServerCode.all) func `Each number has one sentence of what is so and one of what to do`(
        code: ServerCode
    ) throws {
        let meaning = try #require(code.meaning)
        #expect(meaning.label == code.label)
        for text in [meaning.explanation, meaning.remedy.description] {
            #expect((6...170).contains(text.count), "\(code.label): \(text)")
            #expect(text.first?.isUppercase == false, "\(code.label): \(text)")
            #expect(text.last != "." && !text.contains(". "), "\(code.label): \(text)")
            #expect(!text.contains("failed to") && !text.contains("please"), "\(code.label): \(text)")
        }
        #expect(meaning.explanation.hasPrefix("sign in") == false)
    }

    @Test(arguments: ServerCode.all) func `What passes is for nobody's fault, and only a person mends by signing in`(
        code: ServerCode
    ) throws {
        let meaning = try #require(code.meaning)
        if code.isMendedBySignIn { #expect(meaning.responsible == .you, "\(code.label)") }
        if meaning.responsible == .nobody { #expect(code.effect == .passing, "\(code.label)") }
    }

    @Test func `A failure explains its numbers, and beside invalid_grant not that the request was malformed`() {
        let failure = Failure(
            .interactionRequired, "", oauthError: "invalid_grant", serverCodes: [9_002_313, 70008, 1])
        #expect(failure.explanations.map(\.label) == ["AADSTS70008"])
        let other = Failure(.serverError, "", oauthError: "invalid_request", serverCodes: [9_002_313])
        #expect(other.explanations.map(\.label) == ["AADSTS9002313"])
    }
}
