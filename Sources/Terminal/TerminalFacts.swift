import CNcurses

/// Information about the terminal that does not require opening it or writing to it.
package struct TerminalFacts: Hashable, Sendable {
    package let isDescribed: Bool
    /// From that description; nil if unspecified.
    package let colors: Int?
    /// Nil if standard input and output are not a terminal.
    package let rows: Int?
    package let columns: Int?
    /// The locale's character set, such as `UTF-8`.
    package let charset: String
    package let isUTF8: Bool

    /// - Parameters:
    ///  - type: from `TERM`; ignored if empty or over 128 bytes.
    ///  - locale: from `LC_ALL`, `LC_CTYPE` or `LANG`.
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
