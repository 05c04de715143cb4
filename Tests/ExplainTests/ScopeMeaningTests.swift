import Identity
import Testing

@testable import Explain

struct ScopeMeaningTests {
    @Test func `At least 120 scopes are explained, each in one clean sentence`() {
        #expect(ScopeMeaning.count >= 120)
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
        ("openid", "signs you in: the program learns an identifier of you, and nothing else", .low),
        (
            "https://management.azure.com//user_impersonation",
            "does in Azure whatever your roles let you do: machines, networks, money", .critical
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
        #expect(double.sentence.contains("Azure Resource Manager") && double.sentence.contains("two slashes"))
        let single = try #require(ScopeMeaning.of("https://graph.microsoft.com/.default"))
        #expect(single.sentence == "everything that was consented to for Microsoft Graph, and nothing new")
        #expect(ScopeMeaning.of("api://of-our-own/.default")?.sentence.contains("api://of-our-own") == true)
    }

    @Test func `Nothing is guessed of a scope that nobody knows`() {
        #expect(ScopeMeaning.of("Mail.Read.Everything") == nil)
        #expect(ScopeMeaning.of("api://of-our-own/User.Read") == nil)
        #expect(ScopeMeaning.of("") == nil)
        #expect(ScopeMeaning.of("/") == nil)
    }
}
