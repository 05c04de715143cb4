import Glibc
package import Identity
import SystemPackage
import TokenCache

/// What a process must have of the system before it does anything: found out at the start and said, instead of dying of
/// it in the middle.
package enum Surroundings {
    /// Descriptors that the program has open at once, at most; sixteen in the commands, the rest in the interface.
    private static let descriptors = 24
    /// Limits on processes beyond this are not felt by one program more.
    private static let manyProcesses: rlim_t = 4096

    /// - Throws: `configuration`, with what is missing.
    package static func check() throws(Failure) {
        fillStandardDescriptors()
        try checkDescriptors(descriptors, raisingTo: 256)
        guard hasThreads() else {
            throw Failure(
                .configuration, "no more threads may be started: \(threads) are needed",
                hint: "raise the limit: ulimit -u 256, or end other programs")
        }
        // The arguments are read from there.
        guard access("/proc/self/cmdline", R_OK) == 0 else {
            throw Failure(
                .configuration, "/proc is not mounted, and foyer reads its arguments from it",
                hint: "mount it: mount -t proc proc /proc")
        }
    }

    /// - Parameters:
    ///   - needed: descriptors beside those that are open.
    ///   - wanted: what a lower limit is raised to, as far as we may.
    /// - Throws: `configuration`.
    package static func checkDescriptors(_ needed: Int, raisingTo wanted: UInt) throws(Failure) {
        raiseDescriptorLimit(to: wanted)
        guard hasDescriptors(needed) else {
            throw Failure(
                .configuration, "too few files may be open at once: \(needed) more are needed",
                hint: "raise the limit: ulimit -n 256")
        }
    }

    /// A file that is opened while one of the three is closed would get its number, and be written to as if it were a
    /// terminal. What is put in their place refuses to be read or written, as the closed one did.
    private static func fillStandardDescriptors() {
        // O_PATH, which the C library's module leaves out, for where there is no /dev.
        let path: Int32 = 0o10000000
        for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
            let isInput = file == STDIN_FILENO
            guard open("/dev/null", isInput ? O_WRONLY : O_RDONLY) < 0 else { continue }
            _ = open("/", path | O_DIRECTORY)
        }
    }

    /// A lower limit is raised as far as we may; a usual one is left as it is, since programs that are started inherit
    /// it.
    private static func raiseDescriptorLimit(to wanted: UInt) {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < wanted, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        _ = setrlimit(resource, &limit)
    }

    private static func hasDescriptors(_ needed: Int) -> Bool {
        var made: [Int32] = []
        defer { for file in made { close(file) } }
        for _ in 0..<needed {
            let file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            guard file >= 0 else {
                let error = Errno.last
                return error != .tooManyOpenFiles && error != .tooManyOpenFilesInSystem
            }
            made.append(file)
        }
        return true
    }

    /// One for each processor, which the concurrency runtime starts, and one each for the network, names and the
    /// keyboard.
    private static var threads: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 3 }

    /// They are started and ended again: nothing else tells how many are left of a limit that all processes of a person
    /// share.
    private static func hasThreads() -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0, limit.rlim_cur <= manyProcesses
        else { return true }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return true }
        var started: [pthread_t] = []
        var isEnough = true
        while isEnough, started.count < threads {
            var thread = pthread_t()
            let end = UnsafeMutableRawPointer(bitPattern: Int(ends[0]))
            let code = pthread_create(
                &thread, nil,
                { end in
                    var byte: UInt8 = 0
                    _ = uninterrupted { read(Int32(Int(bitPattern: end)), &byte, 1) }
                    return nil
                }, end)
            if code == 0 { started.append(thread) } else { isEnough = false }
        }
        // The end of the pipe is the end of all of them.
        close(ends[1])
        for thread in started { pthread_join(thread, nil) }
        close(ends[0])
        return isEnough
    }
}
