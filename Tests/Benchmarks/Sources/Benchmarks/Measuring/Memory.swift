import Glibc

/// The most memory that a process held at one time.
enum Memory {
    /// VmHWM of a running process, in bytes.
    static func peak(of process: pid_t) -> Double? {
        guard
            let line = text("/proc/\(process)/status").split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Double($0)
            })
        else { return nil }
        return kibibytes * 1024
    }

    /// The peak of a program that prints at its end, in bytes: it is held up in its first write and looked at there.
    /// What wait4(2) says of a small program is too much, as it counts what its parent held at the start, too.
    static func peakAtFirstWrite(_ command: Command) -> Double? {
        guard let pipe = Pipe() else { return nil }
        pipe.fill()
        let process = Child.start(command, output: pipe.writing)
        pipe.closeWriting()
        defer { pipe.closeReading() }
        guard let process else { return nil }
        var ticks = ""
        var still = 0
        for _ in 0..<500 where still < 5 {
            usleep(20_000)
            let now = cpuTicks(of: process)
            still = now == ticks ? still + 1 : 0
            ticks = now
        }
        let peak = still < 5 ? nil : peak(of: process)
        _ = pipe.readAll()
        guard Child.wait(process)?.status == 0 else { return nil }
        return peak
    }

    /// The processor time that it has used so far, as /proc writes it.
    private static func cpuTicks(of process: pid_t) -> String {
        // The name is in brackets and may hold anything; user and system time are fields 14 and 15.
        let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 12 ? "\(fields[11]) \(fields[12])" : ""
    }

    private static func text(_ path: String) -> String {
        Files.read(path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
