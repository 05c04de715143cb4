/// From the start to the first complete screen, and from a key to its repaint, beside other programs that show a list
/// of twenty in the same kind of terminal.
enum Frame {
    private struct Subject {
        let name: String
        let command: Command
        var frames: [Double] = []
        var keys: [Double] = []
    }

    static func measure(_ bench: Bench, into report: inout Report) {
        let scratch = bench.scratch
        let store = Stores.make(scratch, "twenty.json", accounts: 20, tokensEach: 3, length: .full)
        var subjects = [
            Subject(name: "foyer", command: Command([Programs.foyer, "--store", store], scratch.environment))
        ]
        let folder = files(scratch)
        for (name, options) in [("ncdu", ["-x"]), ("nnn", [])] {
            if let program = Programs.onPath(name) {
                subjects.append(
                    Subject(name: name, command: Command([program] + options + [folder], scratch.environment)))
            } else {
                report.leaveOut("\(name), first screen and key", "as it is not installed")
            }
        }
        for _ in 0..<bench.options.runs(20) {
            for index in subjects.indices { run(&subjects[index]) }
        }
        for subject in subjects {
            report.add("frame.\(subject.name)", "\(subject.name), first screen", seconds: subject.frames)
            report.add("frame.key.\(subject.name)", "\(subject.name), key to repaint", seconds: subject.keys)
        }
        for other in subjects.dropFirst() {
            report.addRatio(
                "frame.foyer/\(other.name)", "foyer / \(other.name), first screen", subjects[0].frames, other.frames)
        }
    }

    private static func run(_ subject: inout Subject) {
        guard let session = Session(subject.command) else { return }
        if let frame = session.firstScreen(Stores.word, times: Interface.rows, silence: .long) {
            subject.frames.append(frame)
        }
        for key in ["j", "j", "k", "j", "k"] {
            if let time = session.time(key, silence: .long) { subject.keys.append(time) }
        }
        session.end()
    }

    /// Twenty files whose names look like the accounts of a made store.
    private static func files(_ scratch: Scratch) -> String {
        let folder = scratch.folder("files")
        for number in 0..<20 {
            _ = scratch.write("files/\(Stores.word)\(number)", String(repeating: "x", count: 100 * (number + 1)))
        }
        return folder
    }
}
