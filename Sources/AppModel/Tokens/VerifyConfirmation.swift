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

    /// None: it uses the dialog's keys.
    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] { [] }

    var keyContext: KeyContext { .dialog }

    func offers(_ command: Command, in context: Context) -> Bool {
        ![.toggleWipe, .toggleAccessTokens, .toggleSession, .cycleClient].contains(command)
    }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .select(let answer): question.focus(onConfirm: answer == 1)
        case .command(let command, _):
            switch question.handle(command) {
            case .cancelled: return [.close]
            case .confirmed: return [.close, .perform(.verify(credential, mayAsk: host, request))]
            case nil: return command == .moveButton ? [] : [.scroll(command)]
            }
        default: break
        }
        return []
    }

    var confirmation: Confirmation? { question }
    var searchScope: SearchScope { .nothing }

    func title(in context: Context) -> String { "Check the signature" }

    func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        block.text("The issuer's keys are fetched from \(host).")
        block.blank()
        block.item(
            .warning, .attention,
            "\(host) is not configured: only the token names it. It will see that you hold this token.")
        return block
    }
}
