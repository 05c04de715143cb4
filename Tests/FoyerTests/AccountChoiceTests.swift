import Identity
import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct AccountChoiceTests {
    private static let ada = Account(
        homeAccountID: "u1.t1", environment: "login.microsoftonline.com", username: "ada@contoso.example")
    private static let adam = Account(
        homeAccountID: "u2.t1", environment: "login.microsoftonline.com", username: "adam@contoso.example")
    private static let labAda = Account(
        homeAccountID: "ada", environment: "id.example.org", username: "ada@contoso.example",
        issuer: "https://id.example.org/lab")
    private static let accounts = [ada, adam]

    @Test(arguments: [
        ("ada@contoso.example", "u1.t1"), ("ADA@Contoso.example", "u1.t1"), ("ada@", "u1.t1"), ("adam", "u2.t1"),
        ("u1.t1", "u1.t1"), ("u2", "u2.t1"),
    ])
    func `An account is found by its username, its identifier, or an unambiguous beginning`(text: String, id: String)
        throws
    {
        #expect(try AccountChoice.find(text, among: Self.accounts).homeAccountID == id)
    }

    @Test(arguments: ["ada", "u", "A"]) func `A beginning that several have is ambiguous, and lists them`(text: String)
    {
        #expect { try AccountChoice.find(text, among: Self.accounts) } throws: {
            guard let failure = $0 as? Failure else { return false }
            return failure.code == .ambiguous && failure.message.contains("u1.t1") && failure.message.contains("u2.t1")
        }
    }

    @Test(arguments: ["", "grace", "ada@contoso.example.org", "1.t1", "U1.T1"])
    func `What nobody is called is not found`(text: String) {
        #expect { try AccountChoice.find(text, among: Self.accounts) } throws: { ($0 as? Failure)?.code == .notFound }
    }

    @Test func `Two people with one name at two providers are ambiguous`() throws {
        let both = [Self.ada, Self.labAda]
        #expect(try AccountChoice.find("ada@contoso.example", among: [Self.labAda]).homeAccountID == "ada")
        #expect { try AccountChoice.find("ada@contoso.example", among: both) } throws: {
            ($0 as? Failure)?.code == .ambiguous
        }
    }

    @Test func `One person in several stores is one`() throws {
        #expect(try AccountChoice.find("ada@", amongStores: [Self.ada, Self.ada]).homeAccountID == "u1.t1")
    }
}
