/// The title in the rule above a page.
package struct PageTitle: Equatable, Sendable {
    /// The path from the tab to the current item, such as `Accounts`, `ada@contoso.example`.
    package var crumbs: [String]
    package var count: String
    package var alert: String
    /// Other information: the order, the filter, the position such as `3 of 11`.
    package var note: String
    /// A title above the details next to a list.
    package var aside: String

    package init(_ crumbs: [String], count: String = "", alert: String = "", note: String = "", aside: String = "") {
        self.crumbs = crumbs
        self.count = count
        self.alert = alert
        self.note = note
        self.aside = aside
    }

    /// All of it in one line, for faces without a rule.
    package var line: String {
        ([crumbs.last ?? "", count].filter { !$0.isEmpty }.joined(separator: " ") + (alert.isEmpty ? "" : ", " + alert))
    }
}
