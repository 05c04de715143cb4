extension Array {
    /// How many elements at the beginning meet a condition that none of those behind them meets, found by halving.
    func prefixCount(where isMet: (_ place: Int, Element) -> Bool) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isMet(middle, self[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
