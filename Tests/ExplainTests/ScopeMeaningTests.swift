import Identity
import Testing

@testable import Explain

struct ScopeMeaningTests {
    @Test func `At least 120 scopes are explained, each in one clean sentence`() {
        let names = Set(ScopeMeaning.all.map { "\($0.resource)|\($0.name.asciiLowercased)" })
        #expect(names.count == ScopeMeaning.all.count)
        #expect(ScopeMeaning.all.count >= 120)
        for meaning in ScopeMeaning.all {
            #expect(!meaning.sentence.isEmpty && !meaning.sentence.hasSuffix("."), "\(meaning.name)")
            #expect(meaning.sentence.first?.isLowercase == true, "\(meaning.name)")
            #expect(meaning.sentence.count <= 110, "\(meaning.name)")
            #expect(ScopeSet.isScope(meaning.name))
        }
    }

    @Test(arguments: [
        ("User.Read", "signs you in and reads your own profile", ScopeMeaning.Risk.low),
        ("https://graph.microsoft.com/mail.send", "sends mail in your name", .high),
        ("openid", "signs you in: shares a user ID, nothing else", .low),
        (
            "https://management.azure.com//user_impersonation",
            "acts in Azure with all your roles, including what costs money", .critical
        ),
    ])
    func `A scope is found bare or with its resource, in any case`(
        scope: String, sentence: String, risk: ScopeMeaning.Risk
    ) throws {
        let meaning = try #require(ScopeMeaning.of(scope))
        #expect(meaning.sentence == sentence)
        #expect(meaning.risk == risk)
    }

    @Test func `The double slash before the default scope is explained where it occurs, and only there`() throws {
        let double = try #require(ScopeMeaning.of("https://management.azure.com//.default"))
        #expect(double.sentence.contains("Azure Resource Manager") && double.sentence.contains("double slash"))
        let single = try #require(ScopeMeaning.of("https://graph.microsoft.com/.default"))
        #expect(single.sentence == "all permissions already granted for Microsoft Graph")
        #expect(ScopeMeaning.of("api://of-our-own/.default")?.sentence.contains("api://of-our-own") == true)
    }

    @Test func `Nothing is guessed of a scope that nobody knows`() {
        #expect(ScopeMeaning.of("Mail.Read.Everything") == nil)
        #expect(ScopeMeaning.of("api://of-our-own/User.Read") == nil)
        #expect(ScopeMeaning.of("") == nil)
        #expect(ScopeMeaning.of("/") == nil)
    }
}
