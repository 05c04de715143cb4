import Glibc

/// Counts of instructions by Valgrind's Callgrind, which are the same on a busy machine.
struct Callgrind {
    private let valgrind: String
    private let vgdb: String?
    private let scratch: Scratch

    init?(_ scratch: Scratch) {
        guard let valgrind = Programs.onPath("valgrind") else { return nil }
        self.valgrind = valgrind
        vgdb = Programs.onPath("vgdb")
        self.scratch = scratch
    }

    /// - Parameter arguments: more of Callgrind's options.
    func command(_ words: [String], arguments: [String] = []) -> Command {
        Command(
            [valgrind, "--tool=callgrind", "--callgrind-out-file=\(scratch.path)/callgrind.%p", "-q"] + arguments
                + words,
            scratch.environment)
    }

    /// Instructions of a whole run.
    func count(_ words: [String]) -> Double? {
        guard let process = Child.start(command(words)), Child.wait(process)?.status == 0 else { return nil }
        return total(of: process)
    }

    /// Writes down what a program that waits has counted since the last time, and starts again at 0.
    func dump(_ process: pid_t) -> Double? {
        guard let vgdb else { return nil }
        let before = total(of: process) ?? 0
        guard Child.succeeds(Command([vgdb, "--pid=\(process)", "dump"], scratch.environment)) else { return nil }
        return total(of: process).map { $0 - before }
    }

    /// What the files of one process count together; nil without a file.
    func total(of process: pid_t) -> Double? {
        let files = ([""] + (1...64).map { ".\($0)" }).map { "\(scratch.path)/callgrind.\(process)\($0)" }
        let counts = files.compactMap { Files.read($0).flatMap(Self.total) }
        return counts.isEmpty ? nil : counts.reduce(0, +)
    }

    /// The line `totals:` of Callgrind's format, which stands at the end.
    private static func total(_ file: [UInt8]) -> Double? {
        String(decoding: file.suffix(256), as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("totals: ") }.flatMap { Double($0.dropFirst("totals: ".count)) }
    }
}
