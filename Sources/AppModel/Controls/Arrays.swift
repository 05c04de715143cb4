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

    /// The elements in order, cut where an element does not belong to the one before.
    func runs(_ belongs: (_ before: Element, Element) -> Bool) -> [ArraySlice<Element>] {
        var runs: [ArraySlice<Element>] = []
        var start = startIndex
        for place in indices where place + 1 == endIndex || !belongs(self[place], self[place + 1]) {
            runs.append(self[start...place])
            start = place + 1
        }
        return runs
    }
}

extension Array where Element: Equatable {
    /// The element `step` places after another, around the end; the first one if the other is not in the array.
    func next(after element: Element, _ step: Int = 1) -> Element {
        self[((firstIndex(of: element).map { $0 + step } ?? 0) + count) % count]
    }
}
