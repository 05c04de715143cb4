import Identity
import Keys

extension AppState {
    package var tab: Tab { stack.compactMap { $0.page(in: context).tab }.last ?? .accounts }

    /// Whether a call, a sign-in or a removal is running.
    var isWorking: Bool { stack.contains { $0.underWay != nil && !($0 is any GlobalFeature) } }

    /// Opens a tab and closes what is on top of the accounts. Refuses while a call, sign-in or removal is running
    /// rather than cancel it.
    mutating func open(_ tab: Tab, _ face: Face) -> [Effect] {
        if tab == .activity, top is any ActivityViewPage, stack.count == 1 {
            return top is ActivityPage ? [] : openPage(.activity, face)
        }
        guard tab != self.tab || stack.count > 1 else { return [] }
        guard !isWorking else {
            notice = "\(context.name(of: .back, at: keyContext)) first: a request is running"
            isNoticeOfWork = true
            return []
        }
        let cancelled = stack.compactMap(\.underWay).map(Effect.cancel)
        stack = []
        let opened: [Effect] =
            switch tab {
            case .accounts: []
            case .tokens:
                carryOut([.open(TokenInspector.ofAll(in: context, at: home.selectedAccount?.id))], of: 0, face)
            case .consent: send(.command(.scopes, .enter), to: 0, face)
            case .stores: openPage(.stores, face)
            case .activity: openPage(.activity, face)
            }
        return cancelled + opened
    }
}
