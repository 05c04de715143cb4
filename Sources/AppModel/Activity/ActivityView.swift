import Keys

/// The views of the tab Activity, in display order.
package enum ActivityView: CaseIterable, Sendable {
    case all, programs, agent, failures, doctor

    private var words: (title: String, command: Command) {
        switch self {
        case .all: ("All", .activity)
        case .programs: ("Programs", .programs)
        case .agent: ("Agent", .agent)
        case .failures: ("Failures", .failures)
        case .doctor: ("Doctor", .doctor)
        }
    }

    package var title: String { words.title }
    /// Opens the view from anywhere.
    package var command: Command { words.command }
}

/// A list that is one of the views. Opening another one replaces it.
protocol ActivityViewPage: ListPage {
    static var view: ActivityView { get }
}

extension ActivityViewPage {
    static var keysOfKind: [KeyBinding] { KeyBinding.views }

    /// The page of a view, with the tab and the titles of its views.
    ///
    /// - Parameter alert: what needs attention here, and how many.
    func viewPage(
        in context: Context, count: String = "", alert: (count: Int, words: String) = (0, ""), note: String = ""
    ) -> Page {
        var page = Page(title: Self.view == .all ? Tab.activity.title : Self.view.title)
        page.rule = {
            PageTitle(
                crumbs: [Tab.activity.title] + (Self.view == .all ? [] : [Self.view.title]),
                views: context.activity.views(open: Self.view, alert.count), count: count,
                alert: alert.count == 0 ? "" : alert.words, note: note)
        }
        page.tab = .activity
        // For the titles of the views.
        page.listColumns = 60
        return page
    }

    /// The action of a key that goes to another view; nil for other commands.
    func turned(by command: Command) -> [Action]? {
        let views = ActivityView.allCases
        switch command {
        case .nextView: return [.openPage(views.next(after: Self.view).command)]
        case .previousView: return [.openPage(views.next(after: Self.view, -1).command)]
        default: return nil
        }
    }
}

extension ActivityLog {
    /// The views with what needs attention there.
    fileprivate func views(open: ActivityView, _ count: Int) -> [PageTitle.View] {
        ActivityView.allCases.map { view in
            let alert = view == .failures ? entries.count(where: \.isFailure) : view == open ? count : 0
            return PageTitle.View(
                title: view.title, isOpen: view == open, alert: alert == 0 ? "" : String(alert),
                command: view.command)
        }
    }
}

extension KeyBinding {
    fileprivate static let views = [
        KeyBinding([.tab], .nextView, "view", "next view; all, programs, agent, failures, doctor"),
        KeyBinding([.backTab], .previousView, "", "previous view"),
    ]
}
