import ArgumentParser

/// A helper with the command line of another program: every word is for that program, even if foyer has such an option.
protocol PassthroughHelper: AsyncParsableCommand {
    var words: [String] { get set }
}
