import Explain
import Identity
import SilentCore
import SilentFirst
import Testing
import Wire

@Suite struct FailureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var error: String
        var suberror: String?
        var codes: [Int] = []
        var description: String?
        var claims: String?
        var becomes: Failure.Code

        var testDescription: String {
            ([error, suberror ?? "", description ?? ""] + codes.map(String.init)).joined(separator: " ")
        }
    }

    @Test func `Where the provider has a message, a number does not say that a sign-in helps`() {
        let failure = Failure(OAuthError(error: "interaction_required", suberror: "message_only", codes: [50076]))
        #expect(failure.code == .serverError && failure.message.contains("signing in again does not help"))
        #expect(failure.hint?.description.contains("sign in") == false)
    }

    static let rows: [Row] = [
        Row(error: "invalid_grant", becomes: .interactionRequired),
        Row(error: "interaction_required", codes: [50076], becomes: .interactionRequired),
        Row(error: "login_required", codes: [50058], becomes: .interactionRequired),
        Row(error: "consent_required", becomes: .interactionRequired),
        Row(error: "invalid_grant", suberror: "bad_token", becomes: .interactionRequired),
        Row(error: "invalid_grant", suberror: "token_expired", codes: [700082], becomes: .interactionRequired),
        Row(error: "interaction_required", suberror: "basic_action", codes: [50079], becomes: .interactionRequired),
        Row(error: "interaction_required", suberror: "additional_action", becomes: .interactionRequired),
        Row(error: "interaction_required", suberror: "message_only", becomes: .serverError),
        Row(error: "invalid_grant", suberror: "consent_required", codes: [65001], becomes: .interactionRequired),
        Row(error: "invalid_grant", suberror: "consent_required", codes: [90094], becomes: .serverError),
        Row(error: "invalid_grant", suberror: "user_password_expired", codes: [50055], becomes: .interactionRequired),
        Row(error: "invalid_grant", suberror: "client_mismatch", codes: [70000], becomes: .serverError),
        Row(error: "unauthorized_client", suberror: "protection_policy_required", becomes: .serverError),
        Row(error: "invalid_grant", suberror: "device_authentication_failed", codes: [50155], becomes: .serverError),
        Row(error: "invalid_grant", suberror: "user_account_deleted", becomes: .interactionRequired),
        Row(error: "invalid_request", codes: [50142], becomes: .interactionRequired),
        Row(error: "invalid_grant", codes: [53003], becomes: .serverError),
        Row(error: "invalid_grant", codes: [53003], claims: #"{"access_token":{}}"#, becomes: .interactionRequired),
        Row(error: "invalid_grant", codes: [50020], becomes: .serverError),
        Row(error: "invalid_grant", codes: [50196], becomes: .unavailable),
        Row(
            error: "invalid_grant", codes: [9_002_313],
            description: "AADSTS9002313: Invalid request. Request is malformed or invalid.",
            becomes: .interactionRequired), Row(error: "invalid_request", codes: [9_002_313], becomes: .serverError),
        Row(error: "invalid_grant", codes: [123_456_789], becomes: .interactionRequired),
        Row(error: "invalid_grant", codes: [530_003], becomes: .serverError),
        Row(
            error: "invalid_grant", description: "AADSTS530003: Your device is required to be managed.",
            becomes: .serverError),
        Row(error: "invalid_grant", codes: [70002, 70008], becomes: .interactionRequired),
        Row(error: "invalid_grant", codes: [70008, 70002], becomes: .interactionRequired),
        Row(error: "invalid_grant", codes: [70002, 70000], becomes: .interactionRequired),
        Row(error: "invalid_grant", codes: [70002, 50012], becomes: .serverError),
        Row(error: "invalid_grant", codes: [70002, 123_456_789], becomes: .interactionRequired),
        Row(error: "invalid_client", codes: [70002], becomes: .serverError),
        Row(error: "invalid_grant", codes: [70000, 53003], becomes: .serverError),
        Row(error: "invalid_grant", codes: [50131, 530_003], becomes: .serverError),
        Row(error: "invalid_grant", codes: [65000, 65001], becomes: .interactionRequired),
        Row(
            error: "invalid_grant",
            description: "AADSTS70002: Error validating credentials. AADSTS70008: The refresh token has expired.",
            becomes: .interactionRequired),
        Row(error: "temporarily_unavailable", becomes: .unavailable),
        Row(error: "access_denied", becomes: .cancelled),
        Row(error: "authorization_declined", becomes: .cancelled),
        Row(error: "access_denied", description: "AADSTS65004: User declined to consent.", becomes: .cancelled),
        Row(error: "access_denied", description: "AADSTS53003: Access has been blocked.", becomes: .serverError),
        Row(error: "access_denied", description: "AADB2C90091: The user has cancelled.", becomes: .cancelled),
        Row(
            error: "access_denied", description: "AADB2C90118: The user has forgotten their password.",
            becomes: .interactionRequired),
        Row(
            error: "invalid_grant", description: "AADB2C90088: Not issued for this endpoint.",
            becomes: .interactionRequired),
        Row(
            error: "invalid_grant", description: "MSIS9615: The refresh token has expired.",
            becomes: .interactionRequired),
        Row(error: "access_denied", description: "MSIS9605: The client is not allowed.", becomes: .serverError),
        Row(error: "expired_token", becomes: .interactionRequired),
        Row(error: "code_expired", becomes: .interactionRequired),
        Row(error: "invalid_client", codes: [7_000_218], becomes: .serverError),
        Row(error: "unauthorized_client", codes: [700016], becomes: .serverError),
        Row(error: "invalid_scope", codes: [70011], becomes: .serverError),
        Row(error: "invalid_tenant", becomes: .serverError),
        Row(error: "something_new", becomes: .serverError),
    ]

    @Test(arguments: rows) func `A refusal is for a person, for nobody, or for later`(row: Row) {
        let refusal = OAuthError(
            error: row.error, description: row.description, suberror: row.suberror, codes: row.codes, claims: row.claims
        )
        let failure = Failure(refusal)
        #expect(failure.code == row.becomes)
        #expect(failure.oauthError == row.error && failure.suberror == row.suberror && failure.claims == row.claims)
        #expect(failure.oauthDescription == row.description)
        #expect(refusal.needsPerson == (row.becomes == .interactionRequired))
        #expect(failure.message.first?.isUppercase == false && failure.message.count > 10)
        // The words are the suberror's where it says that no sign-in helps and the number that one does.
        if let known = failure.explanations.first, row.suberror != "client_mismatch" {
            #expect(failure.message.contains(known.label))
            #expect(failure.hint?.description.hasPrefix(known.remedy.description) == true)
        }
    }

    @Test(arguments: rows) func `In the midst of a sign-in nobody is told to run it`(row: Row) {
        let refusal = OAuthError(
            error: row.error, description: row.description, suberror: row.suberror, codes: row.codes, claims: row.claims
        )
        let failure = Failure(refusal, inSignIn: true)
        #expect(failure.code == row.becomes)
        switch failure.nextStep {
        case .signIn, .signInWith, .signInAgain: Issue.record("\(failure.message)")
        default: break
        }
        if failure.code == .interactionRequired { #expect(failure.nextStep != nil) }
        #expect(!failure.message.contains("rejected the refresh token"))
    }

    @Test func `Of several numbers the one that says most is told`() {
        func words(_ codes: [Int], _ error: String = "invalid_grant") -> String {
            Failure(OAuthError(error: error, codes: codes)).message
        }
        #expect(words([70002, 70008]).contains("not used for too long, or was revoked (invalid_grant, AADSTS70008)"))
        #expect(words([530_003]).hasPrefix("this device must be managed by the organization"))
        #expect(words([50131, 530_003]).hasPrefix("this device must be managed"))
        #expect(words([70002, 50012], "invalid_client").contains("AADSTS50012"))
        #expect(!words([70002, 123_456_789]).contains("credentials are wrong"))
    }

    @Test func `The time in the provider's description is told, and none of our own`() {
        func words(_ codes: [Int], _ description: String?) -> String {
            Failure(OAuthError(error: "invalid_grant", description: description, codes: codes)).message
        }
        let description = """
            AADSTS700082: The refresh token has expired due to inactivity. The token was issued on \
            2021-01-25T17:51:10.1022630Z and was inactive for 12:00:00.
            """
        #expect(words([700_082], description).hasPrefix("the refresh token was not used for 12 h and has expired"))
        #expect(words([700_082], nil).hasPrefix("the refresh token was not used for too long and has expired"))
        let failure = Failure(OAuthError(error: "invalid_grant", description: description, codes: [700_082]))
        #expect(failure.explanations.map(\.explanation) == ["the refresh token was not used for 12 h and has expired"])
    }

    @Test func `The numbers of B2C and AD FS are read from the description and named as theirs`() {
        let failure = Failure(
            OAuthError(error: "access_denied", description: "AADB2C90118: The user has forgotten their password."))
        #expect(failure.serverCodes == [90118] && failure.serverCodeNames == ["AADB2C90118"])
        #expect(Failure(OAuthError(error: "invalid_grant", codes: [50076])).serverCodeNames == ["AADSTS50076"])
    }
}
