import Identity

extension AccountPicker {
    package enum Row: Equatable, Sendable {
        case heading(AccountGroups.Heading)
        /// The position in ``order``.
        case account(Int)
    }

    package var rowCount: Int { order.count + headings.count }

    /// The number of headings that begin at or before the account at a position.
    private func headingsUpTo(_ position: Int) -> Int { headings.prefixCount { $1.start <= position } }

    package func heading(of position: Int) -> AccountGroups.Heading? {
        let index = headingsUpTo(position) - 1
        return headings.indices.contains(index) ? headings[index] : nil
    }

    package func row(of position: Int) -> Int { position + headingsUpTo(position) }

    package func row(at row: Int) -> Row? {
        guard (0..<rowCount).contains(row) else { return nil }
        // Heading number n is in row `start + n`.
        let above = headings.prefixCount { number, heading in heading.start + number <= row }
        if above > 0, headings[above - 1].start + above - 1 == row { return .heading(headings[above - 1]) }
        return .account(row - above)
    }
}
