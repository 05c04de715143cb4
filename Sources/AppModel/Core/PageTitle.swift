/// Where one is, as the rule above a page says it.
package struct PageTitle: Equatable, Sendable {
    /// From the view to what is looked at, such as `Accounts`, `ada@contoso.example`.
    package var crumbs: [String]
    /// How many there are.
    package var count: String
    /// What somebody should look at.
    package var alert: String
    /// What else is to be known: the order, the filter, the position such as `3 of 11`.
    package var note: String
    /// Above the text of the marked row, where that is beside the list.
    package var aside: String

    package init(_ crumbs: [String], count: String = "", alert: String = "", note: String = "", aside: String = "") {
        self.crumbs = crumbs
        self.count = count
        self.alert = alert
        self.note = note
        self.aside = aside
    }

    /// All of it in one line, for where there is no rule.
    package var line: String {
        ([crumbs.last ?? "", count].filter { !$0.isEmpty }.joined(separator: " ") + (alert.isEmpty ? "" : ", " + alert))
    }
}
