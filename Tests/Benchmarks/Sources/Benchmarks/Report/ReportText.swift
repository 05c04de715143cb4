extension Report {
    /// What was added since the given counts, a line each.
    func lines(after figures: Int, _ omissions: Int) -> [String] {
        let added = self.figures.dropFirst(figures)
        let table = added.contains { $0.id.hasPrefix(Growth.id) } ? Growth.table(self) : []
        return added.filter { !$0.id.hasPrefix(Growth.id) }.map(\.line) + table
            + self.omissions.dropFirst(omissions).map { "\($0.what): not measured, \($0.why)" }
    }

    /// The machine and the versions, a line each.
    var heading: [String] {
        [
            "\(machine.cores) cores of \(machine.processor), \(machine.gigabytes) GB, Linux \(machine.kernel), "
                + "load \(Figure.decimal(machine.load, digits: 1)) at the start",
            versions.map { "\($0.name) \($0.version)" }.joined(separator: ", "),
        ]
    }
}

extension Figure {
    fileprivate var line: String {
        guard values.runs > 1 else { return "\(name): \(median)" }
        let digits = values.median < 10 ? 2 : 1
        func decimal(_ value: Double) -> String { Self.decimal(value, digits: digits) }
        let middle = "quartiles \(decimal(values.lower)) to \(decimal(values.upper))"
        let whole = "\(decimal(values.least)) to \(decimal(values.most)) in \(values.runs) runs"
        return "\(name): \(median) (\(middle), \(whole))"
    }
}
