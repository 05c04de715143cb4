import CNcurses

/// What is known of the terminal without opening it: nothing is written to it, and nothing asked.
package struct TerminalFacts: Hashable, Sendable {
    /// Whether there is a description of its type.
    package let isDescribed: Bool
    /// By that description; nil where it names none.
    package let colors: Int?
    /// Nil where standard output and standard input are none.
    package let rows: Int?
    package let columns: Int?
    /// Of the locale, such as `UTF-8`.
    package let charset: String
    package let isUTF8: Bool

    /// - Parameters:
    ///   - type: as `TERM` names it; empty or longer than 128 bytes is none.
    ///   - locale: what `LC_ALL`, `LC_CTYPE` or `LANG` says.
    package init(type: String, locale: String?) {
        let found = type.isEmpty || type.utf8.count > 128 ? -2 : foyer_described_colors(type)
        isDescribed = found > -2
        colors = found >= 0 ? Int(found) : nil
        var (rows, columns): (Int32, Int32) = (0, 0)
        let hasSize = foyer_window_size(&rows, &columns)
        self.rows = hasSize ? Int(rows) : nil
        self.columns = hasSize ? Int(columns) : nil
        isUTF8 = foyer_take_locale(locale)
        charset = foyer_charset().map { String(cString: $0) } ?? ""
    }
}
