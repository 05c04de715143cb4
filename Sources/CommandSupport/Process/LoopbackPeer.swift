import FoundationEssentials
import Glibc

/// Whose process is at the other end of a connection on loopback, as the kernel tells (proc(5), /proc/net/tcp).
package enum LoopbackPeer {
    /// Whether the socket that has connected from one port to the other is of this user or of root. Where the kernel
    /// does not say, as for a connection that was forwarded from another machine, nobody else of this machine can have
    /// made it, and it is.
    package static func isOwn(from: Int, to: Int) -> Bool {
        let owners = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { Self.owners(in: $0, from, to) }
        return owners.allSatisfy { $0 == geteuid() || $0 == 0 }
    }

    /// The same where only a socket of this machine may ask: what the kernel does not know is nobody's.
    package static func isKnownAsOwn(from: Int, to: Int) -> Bool {
        ["/proc/net/tcp", "/proc/net/tcp6"].contains { !owners(in: $0, from, to).isEmpty } && isOwn(from: from, to: to)
    }

    private static func owners(in path: String, _ from: Int, _ to: Int) -> [uid_t] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var owners: [uid_t] = []
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, Int32(line.count), file) != nil {
            // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid …
            let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
                separator: " ")
            guard fields.count > 7, port(fields[1]) == from, port(fields[2]) == to, let owner = uid_t(fields[7]) else {
                continue
            }
            owners.append(owner)
        }
        return owners
    }

    private static func port(_ address: Substring) -> Int? {
        address.split(separator: ":").last.flatMap { Int($0, radix: 16) }
    }
}
