/// The middle of some samples and how far they spread, in the samples' unit.
struct Quartiles: Equatable {
    let least: Double
    let lower: Double
    let median: Double
    let upper: Double
    let most: Double
    /// How many samples there were.
    let runs: Int

    /// Nil without a sample. Between two samples the quantile is interpolated linearly (type 7 of Hyndman and Fan, the
    /// default of R and NumPy).
    init?(of samples: [Double]) {
        guard !samples.isEmpty else { return nil }
        let sorted = samples.sorted()
        func quantile(_ fraction: Double) -> Double {
            let place = fraction * Double(sorted.count - 1)
            let below = Int(place)
            let above = min(below + 1, sorted.count - 1)
            return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
        }
        least = quantile(0)
        lower = quantile(0.25)
        median = quantile(0.5)
        upper = quantile(0.75)
        most = quantile(1)
        runs = sorted.count
    }
}
