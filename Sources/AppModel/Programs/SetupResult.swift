package import Identity

package struct SetupResult: Equatable, Sendable {
    package struct Check: Equatable, Sendable {
        package var isGood: Bool
        package var detail: String

        package init(isGood: Bool, _ detail: String) { (self.isGood, self.detail) = (isGood, detail) }
    }

    package var words: String
    package var checks: [Check]
    /// A remaining problem and its fix.
    package var failure: Failure?

    package init(_ words: String, checks: [Check] = [], failure: Failure? = nil) {
        (self.words, self.checks, self.failure) = (words, checks, failure)
    }
}
