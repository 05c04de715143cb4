/// One measured quantity.
struct Figure: Equatable {
    enum Unit: String {
        case milliseconds = "ms"
        /// 10^6 bytes.
        case megabytes = "MB"
        /// 10^6 instructions.
        case megainstructions = "M instructions"
        /// How many times as much.
        case times
        /// How many.
        case count
    }

    /// Stable, for programs that read the JSON; the part comes first.
    let id: String
    /// For a person.
    let name: String
    let unit: Unit
    let values: Quartiles

    /// The median with its unit: one decimal, two below 10.
    var median: String {
        switch unit {
        case .count: Self.decimal(values.median, digits: 0)
        case .times: Self.decimal(values.median, digits: 2) + " times"
        default: Self.decimal(values.median, digits: values.median < 10 ? 2 : 1) + " " + unit.rawValue
        }
    }

    /// - Parameter digits: those after the point.
    static func decimal(_ value: Double, digits: Int) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        guard digits > 0 else { return String(scaled) }
        let fraction = String(scaled.magnitude % UInt(scale))
        return (scaled < 0 ? "-" : "") + String(scaled.magnitude / UInt(scale)) + "."
            + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
