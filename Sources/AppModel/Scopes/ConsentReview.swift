import Explain
import Identity

/// A summary of the selection before it is requested: each permission with its risk, and the account.
struct ConsentReview: Equatable, Sendable {
    let request: SignInRequest
    let asked: ScopeConsent.Asked
    let permissions: RequestedPermissions
    var question: Confirmation

    /// The safe answer is selected if a permission affects more than the user's own data.
    init(_ request: SignInRequest, _ asked: ScopeConsent.Asked, in context: Context) {
        self.request = request
        self.asked = asked
        permissions = RequestedPermissions(request, in: context)
        question = Confirmation("Sign in")
        question.focus(onConfirm: permissions.highestRisk.map { $0 < .critical } ?? false)
    }

    func add(in context: Context, to block: inout TextBlock) {
        let count = counted(permissions.permissions.count, "permission")
        block.text("This sign-in requests \(count):", .emphasis)
        block.add(permissions)
        block.blank()
        request.addParties(in: context, to: &block)
        block.blank()
        if permissions.highestRisk == .critical {
            block.item(.warning, .danger, "Affects the whole organization, not only your data.")
        }
        if request.request.prompt == .consent {
            block.text("Requests permissions that you declined before.", .muted)
        }
        block.text("Existing consent is kept.", .muted)
    }
}
