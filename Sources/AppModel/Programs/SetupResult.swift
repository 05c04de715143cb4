package import Identity

/// What came of a change of a program's connection.
package struct SetupResult: Equatable, Sendable {
    /// One thing that was looked at afterwards.
    package struct Check: Equatable, Sendable {
        package var isGood: Bool
        package var detail: String

        package init(isGood: Bool, _ detail: String) { (self.isGood, self.detail) = (isGood, detail) }
    }

    /// In a few words.
    package var words: String
    package var checks: [Check]
    /// What does not work yet, and what to do about it.
    package var failure: Failure?

    package init(_ words: String, checks: [Check] = [], failure: Failure? = nil) {
        (self.words, self.checks, self.failure) = (words, checks, failure)
    }
}
