import FoundationEssentials
import Identity
import Terminal

/// How a sign-in ended without all that was asked for, told apart by what the person can do next.
enum SignInEnd: Equatable, Sendable {
    /// Some of it was granted, and is in the store.
    case declined
    /// The person gave up here, or said no on the provider's page.
    case cancelled
    /// Nobody answered in time.
    case timedOut
    /// The provider could not be reached, or wants to be left alone for a while.
    case offline
    /// A response that must not be believed.
    case untrusted
    /// The provider said no.
    case refused
    /// Settings, store or the form stand in the way.
    case here

    /// - Parameter waitedForBrowser: an answer that stayed away was the browser's, that is, the person's.
    init(_ failure: Failure, waitedForBrowser: Bool) {
        self =
            switch failure.code {
            case .declinedScopes: .declined
            case .cancelled: .cancelled
            // The one end of a sign-in by a person in which the provider names no error.
            case .interactionRequired where failure.oauthError == nil && failure.serverCodes.isEmpty: .timedOut
            case .unavailable: waitedForBrowser ? .timedOut : .offline
            case .untrustedResponse: .untrusted
            case .interactionRequired, .serverError: .refused
            case .storeError, .notFound, .ambiguous, .usage, .invalidInput, .configuration: .here
            }
    }

    var title: String {
        switch self {
        case .declined: "signed in, with less than was asked for"
        case .cancelled: "the sign-in was not finished"
        case .timedOut: "nobody answered in time"
        case .offline: "the provider was not reached"
        case .untrusted: "the answer was not to be trusted"
        case .refused: "the provider refused"
        case .here: "the sign-in cannot go on here"
        }
    }

    func sign(_ glyphs: Glyphs) -> (String, Role) {
        switch self {
        case .declined: (glyphs.half, .attention)
        case .cancelled: (glyphs.separator, .attention)
        case .timedOut, .offline: (glyphs.warning, .attention)
        case .untrusted, .refused, .here: (glyphs.cross, .danger)
        }
    }

    /// What the keys do next.
    var next: String {
        switch self {
        case .declined: "Enter goes to the account; a asks for consent again; Esc changes the form"
        case .cancelled, .timedOut: "Enter tries again; m takes another method; Esc changes the form"
        case .offline: "Enter tries again; ! lets the doctor look; Esc changes the form"
        case .untrusted: "Nothing was kept. Esc goes back to the form; ! lets the doctor look"
        case .refused: "Enter tries again; m takes another method; Esc changes the form"
        case .here: "Esc goes back to the form; ! lets the doctor look"
        }
    }
}

extension SignInProgress {
    /// What was granted all the same.
    var granted: AcquiredToken? {
        guard case .failed(let failure) = phase, failure.code == .declinedScopes else { return nil }
        return failure.result
    }

    /// What is to be asked the next time: with the claims that the provider has demanded meanwhile.
    var again: SignInWish {
        var again = wish
        if case .failed(let failure) = phase, let claims = failure.claims { again.request.claims = claims }
        return again
    }

    /// The same with the page that asks for consent.
    var withConsent: SignInWish {
        var wish = again
        wish.request.prompt = .consent
        return wish
    }

    var correlationID: String? {
        guard case .failed(let failure) = phase else { return nil }
        return failure.correlationID?.uuidString.lowercased()
    }
}

extension State {
    func addEnd(_ end: SignInEnd, _ failure: Failure, to sheet: inout Sheet) {
        let (glyph, role) = end.sign(sheet.glyphs)
        sheet.item(glyph, role, end.title, .emphasis)
        addFailure(failure, to: &sheet)
        sheet.text(end.next, .muted)
    }
}
