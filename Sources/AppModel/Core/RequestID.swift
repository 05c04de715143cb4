/// One request. Numbers are never reused, so late replies are recognized.
package struct RequestID: Hashable, Sendable, Comparable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: RequestID, right: RequestID) -> Bool { left.number < right.number }

    var next: RequestID { RequestID(number + 1) }
}
