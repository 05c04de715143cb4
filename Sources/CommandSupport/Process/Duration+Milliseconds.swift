extension Duration {
    /// Whole milliseconds, rounded toward zero.
    package var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds) * 1000 + Int(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
