/// Commands that are run in turns, A B A B, so that all of them see the same machine.
enum Turns {
    /// Two rounds that are not counted come first.
    ///
    /// - Returns: for each command its wall times in seconds, from before its start until it has been waited for, in
    ///   the order of the rounds; nil for one that failed.
    static func time(_ commands: [Command], rounds: Int) -> [[Double]?] {
        var times: [[Double]?] = commands.map { _ in [] }
        for round in -2..<rounds {
            for (index, command) in commands.enumerated() where times[index] != nil {
                let start = Clock.now
                let succeeded = Child.succeeds(command)
                let seconds = Clock.now - start
                if !succeeded { times[index] = nil } else if round >= 0 { times[index]?.append(seconds) }
            }
        }
        return times
    }
}
