import Explain
import Identity

/// What was chosen, read back before a provider is asked for it: each permission with its risk, and who asks for whom.
struct ConsentReview: Equatable, Sendable {
    let request: SignInRequest
    let asked: ScopeConsent.Asked
    let permissions: RequestedPermissions
    var question: Confirmation

    /// The safe answer is marked where a permission reaches further than the person's own things.
    init(_ request: SignInRequest, _ asked: ScopeConsent.Asked, in context: Context) {
        self.request = request
        self.asked = asked
        permissions = RequestedPermissions(request, in: context)
        question = Confirmation("Sign in")
        question.focus(onConfirm: permissions.highestRisk.map { $0 < .critical } ?? false)
    }

    func text(in context: Context) -> TextBlock {
        var block = TextBlock()
        let count = counted(permissions.permissions.count, "permission")
        block.text("The sign-in will ask for \(count):", .emphasis)
        block.add(permissions)
        block.blank()
        request.addParties(in: context, to: &block)
        block.blank()
        if permissions.highestRisk == .critical {
            block.item(.warning, .danger, "This reaches the whole organization, not only your own things.")
        }
        if request.request.prompt == .consent {
            block.text("What you declined before is asked again.", .muted)
        }
        block.text("What is already granted stays granted.", .muted)
        return block
    }
}
