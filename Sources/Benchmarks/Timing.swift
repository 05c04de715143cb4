import Glibc

/// The wall time of one command over several runs, after two that are not counted. Seconds, and KiB of the largest run.
struct Timing {
    let least: Double
    let median: Double
    let most: Double
    let peakKiB: Int

    static func of(_ command: [String], runs: Int, environment: [String]) -> Timing? {
        var seconds: [Double] = []
        var peak = 0
        for run in -2..<runs {
            let start = Clock.now
            guard let ending = Child.run(command, environment: environment), ending.status == 0 else { return nil }
            if run >= 0 {
                seconds.append(Clock.now - start)
                peak = max(peak, ending.peakKiB)
            }
        }
        seconds.sort()
        return Timing(
            least: seconds[0], median: seconds[seconds.count / 2], most: seconds[seconds.count - 1], peakKiB: peak)
    }
}

enum Clock {
    /// Seconds of the monotonic clock.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A child process that is waited for.
enum Child {
    struct Termination {
        var status: Int32
        var peakKiB: Int
        var output: String
    }

    /// - Parameter keepsOutput: its standard output is kept, at most 1 MiB; else it goes nowhere.
    static func run(_ command: [String], environment: [String], keepsOutput: Bool = false) -> Termination? {
        var ends: [Int32] = [-1, -1]
        if keepsOutput {
            guard pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if keepsOutput {
            posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        }
        guard let process = spawn(command, environment, &actions) else { return nil }
        var output = ""
        if keepsOutput {
            close(ends[1])
            output = readAll(ends[0])
            close(ends[0])
        }
        return wait(process, output)
    }

    static func spawn(
        _ command: [String], _ environment: [String], _ actions: inout posix_spawn_file_actions_t,
        attributes: UnsafePointer<posix_spawnattr_t>? = nil
    ) -> pid_t? {
        let argv = command.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var process = pid_t()
        return posix_spawn(&process, command[0], &actions, attributes, argv, envp) == 0 ? process : nil
    }

    static func wait(_ process: pid_t, _ output: String = "") -> Termination? {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 { guard errno == EINTR else { return nil } }
        return Termination(status: status, peakKiB: usage.ru_maxrss, output: output)
    }

    private static func readAll(_ file: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 1_048_576 {
            let count = read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
