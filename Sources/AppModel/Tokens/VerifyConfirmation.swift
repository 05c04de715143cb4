import Explain
import Identity
import Keys

/// Asks before contacting a host that is not configured, because it was chosen by a token from outside.
struct VerifyConfirmation: Feature {
    private let credential: CachedCredential
    private let host: String
    /// The request that found the host, and continues.
    private let request: RequestID
    private var question: Confirmation
    var scroll = 0

    init(_ credential: CachedCredential, host: String, _ request: RequestID) {
        self.credential = credential
        self.host = host
        self.request = request
        question = Confirmation("ask \(host)")
    }

    var keyContext: KeyContext { .dialog }

    func offers(_ command: Command, in context: Context) -> Bool {
        ![.toggleWipe, .toggleAccessTokens, .toggleLeaked, .toggleSession, .cycleClient].contains(command)
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch question.answer(to: event) {
        case .cancelled: [.close]
        case .confirmed: [.close, .perform(.verify(credential, mayAsk: host, request))]
        case .other(let command): [.scroll(command)]
        case nil: []
        }
    }

    func page(in context: Context) -> Page {
        Page(
            title: "Check the signature",
            addText: { block in
                block.text("The issuer's keys are fetched from \(host).")
                block.blank()
                block.item(
                    .warning, .attention,
                    "\(host) is not configured: only the token names it. It will see that you hold this token.")
            }, confirmation: question)
    }
}
