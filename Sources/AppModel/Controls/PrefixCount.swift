extension Array {
    /// The number of leading elements that meet a condition which none of the others meets, by binary search.
    func prefixCount(where isMet: (_ place: Int, Element) -> Bool) -> Int {
        var range = startIndex..<endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isMet(middle, self[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
