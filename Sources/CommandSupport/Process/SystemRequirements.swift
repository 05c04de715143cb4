import Glibc
package import Identity
import SystemPackage
import TokenCache

/// System resources that the program needs, checked at the start to report what is missing instead of failing midway.
package enum SystemRequirements {
    /// The most descriptors that are open at the same time: 16 in commands, 24 in the interface.
    private static let descriptors = 24
    /// Higher process limits are not checked.
    private static let manyProcesses: rlim_t = 4096

    /// - Throws: `configuration`, with what is missing.
    package static func check() throws(Failure) {
        fillStandardDescriptors()
        try checkDescriptors(descriptors, raisingTo: 256)
        try checkSize(RLIMIT_AS.rawValue, "address space", atLeast: leastAddressSpace, option: "v")
        try checkSize(RLIMIT_STACK.rawValue, "stack", atLeast: leastStack, option: "s")
        guard hasThreads() else {
            throw Failure(
                .configuration, "thread limit too low: \(threads) needed",
                hint: "raise the limit: ulimit -u 256, or ulimit -v if it is set, or end other programs")
        }
        // Command-line arguments are read from /proc/self/cmdline.
        guard access("/proc/self/cmdline", R_OK) == 0 else {
            throw Failure(
                .configuration, "/proc is not mounted, and foyer needs it",
                hint: "mount it: mount -t proc proc /proc")
        }
    }

    /// Raises a limit below `wanted`, if allowed.
    ///
    /// - Throws: `configuration` if fewer than `needed` more descriptors can be opened.
    package static func checkDescriptors(_ needed: Int, raisingTo wanted: UInt) throws(Failure) {
        raiseDescriptorLimit(to: wanted)
        guard hasDescriptors(needed) else {
            throw Failure(
                .configuration, "open file limit too low: \(needed) more needed",
                hint: "raise the limit: ulimit -n 256")
        }
    }

    /// Bytes, below which the runtime hangs or crashes midway.
    private static let leastAddressSpace: rlim_t = 128 << 20
    /// Bytes. The limit is also the size of the stacks of threads.
    private static let leastStack: rlim_t = 1 << 20

    /// - Parameter option: of ulimit, which counts in units of 1,024 bytes.
    private static func checkSize(_ resource: UInt32, _ name: String, atLeast least: rlim_t, option: String)
        throws(Failure)
    {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(resource), &limit) == 0, limit.rlim_cur < least else { return }
        throw Failure(
            .configuration, "\(name) limit too low: \(least >> 10) KiB needed",
            hint: .text("raise the limit: ulimit -\(option) unlimited, or \(least >> 10) at least"))
    }

    /// A file opened while descriptor 0, 1 or 2 is closed would get that number, and receive terminal output. The
    /// replacements fail to read or write, like a closed descriptor.
    private static func fillStandardDescriptors() {
        // O_PATH, which the Glibc module lacks; used if there is no /dev.
        let path: Int32 = 0o10000000
        for file in STDIN_FILENO...STDERR_FILENO where fcntl(file, F_GETFD) == -1 {
            let isInput = file == STDIN_FILENO
            guard open("/dev/null", isInput ? O_WRONLY : O_RDONLY) < 0 else { continue }
            _ = open("/", path | O_DIRECTORY)
        }
    }

    /// Raises only a limit that is too low, as child processes inherit it.
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

    /// One per processor for the concurrency runtime and for the network each, and one for each task that may block:
    /// the command, its refresh, name lookups and the keyboard among them.
    private static var threads: Int { 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 8 }

    /// Starts and ends the threads: all of the user's processes share the limit, and nothing reports how much is left.
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
        // Closing the write end wakes all threads.
        close(ends[1])
        for thread in started { pthread_join(thread, nil) }
        close(ends[0])
        return isEnough
    }
}
