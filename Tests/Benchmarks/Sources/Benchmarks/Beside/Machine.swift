import Glibc

/// What the figures were measured on and with.
struct Machine: Equatable {
    /// The processor's model as the kernel names it.
    let processor: String
    /// Processors that are online.
    let cores: Int
    /// Bytes of memory, in units of 10^9.
    let gigabytes: Int
    let kernel: String
    /// Programs that ran or waited to run, on average over the last minute before the start: 0 on a quiet machine.
    let load: Double

    static var current: Machine {
        let lines = Files.read("/proc/cpuinfo").map { String(decoding: $0, as: UTF8.self) } ?? ""
        let model = lines.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
        let kernel = Files.read("/proc/sys/kernel/osrelease").map { String(decoding: $0, as: UTF8.self) } ?? ""
        var load = 0.0
        _ = getloadavg(&load, 1)
        let memory = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return Machine(
            processor: model.map { String($0.drop { $0 == " " }) } ?? "unknown",
            cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)), gigabytes: memory / 1_000_000_000,
            kernel: String(kernel.prefix { $0 != "\n" }), load: load)
    }
}
