import ArgumentParser

/// A helper with the command line of another program: every word is that program's, also one that is an option of
/// foyer's.
protocol PassthroughHelper: AsyncParsableCommand {
    var words: [String] { get set }
}
