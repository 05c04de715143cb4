/// The title in the rule above a page.
package struct PageTitle: Equatable, Sendable {
    /// The path from the tab to the current item, such as `Accounts`, `ada@contoso.example`.
    package var crumbs: [String]
    package var count = ""
    package var alert = ""
    /// Other information: the order, the filter, the position such as `3 of 11`.
    package var note = ""
    /// A title above the details next to a list.
    package var aside = ""

    /// All of it in one line, for faces without a rule.
    package var line: String {
        [crumbs.last ?? "", count].filter { !$0.isEmpty }.joined(separator: " ") + (alert.isEmpty ? "" : ", " + alert)
    }
}
