import FoundationEssentials
package import Glibc

/// The owner of the process at the other end of a loopback TCP connection. The kernel is queried for that one socket
/// (sock_diag(7)); if it cannot answer, all sockets are read (proc(5), /proc/net/tcp).
///
/// Reading all takes time in proportion to their number: call this only where blocking is allowed, and not for every
/// new connection.
package enum LoopbackPeer {
    /// Whether the connecting socket belongs to this user or root. True if the kernel does not know it, as for a
    /// connection forwarded from another machine: no other local user can have opened it. False if its process has
    /// closed it.
    package static func isOwn(from: sockaddr_in, to: sockaddr_in) -> Bool {
        owners(from, to).allSatisfy { $0 == geteuid() || $0 == 0 }
    }

    /// Like ``isOwn(from:to:)``, but false for a socket that the kernel does not know.
    package static func isKnownAsOwn(from: sockaddr_in, to: sockaddr_in) -> Bool {
        let owners = owners(from, to)
        return !owners.isEmpty && owners.allSatisfy { $0 == geteuid() || $0 == 0 }
    }

    /// Stands for "closed": the kernel reports a socket without a process as root's.
    static let nobody = uid_t.max

    /// Falls back to the list: netlink reports a missing socket and missing TCP support with the same error.
    private static func owners(_ from: sockaddr_in, _ to: sockaddr_in) -> [uid_t] {
        if let owner = askedOwner(from, to) { return [owner] }
        return listedOwners(from, to)
    }

    // MARK: One socket

    private static let netlinkSocketDiagnosis: Int32 = 4
    private static let socketByFamily: UInt16 = 20
    private static let request: UInt16 = 1
    private static let headerLength = 16
    private static let requestLength = 72
    private static let answerLength = 88
    private static let listens: UInt8 = 10
    private static let anyCookie = UInt64.max

    /// Sends `struct nlmsghdr` and `struct inet_diag_req_v2`, receives `struct nlmsghdr` and `struct inet_diag_msg`.
    /// Also finds an IPv6 socket that is connected to an IPv4 address.
    ///
    /// - Returns: nil if the kernel does not know the socket or cannot answer.
    static func askedOwner(_ from: sockaddr_in, _ to: sockaddr_in) -> uid_t? {
        let file = socket(AF_NETLINK, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), netlinkSocketDiagnosis)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var question = [UInt8](repeating: 0, count: requestLength)
        question.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt32(requestLength), toByteOffset: 0, as: UInt32.self)
            bytes.storeBytes(of: socketByFamily, toByteOffset: 4, as: UInt16.self)
            bytes.storeBytes(of: request, toByteOffset: 6, as: UInt16.self)
            bytes[16] = UInt8(AF_INET)
            bytes[17] = UInt8(IPPROTO_TCP)
            bytes.storeBytes(of: from.sin_port, toByteOffset: 24, as: UInt16.self)
            bytes.storeBytes(of: to.sin_port, toByteOffset: 26, as: UInt16.self)
            bytes.storeBytes(of: from.sin_addr.s_addr, toByteOffset: 28, as: UInt32.self)
            bytes.storeBytes(of: to.sin_addr.s_addr, toByteOffset: 44, as: UInt32.self)
            bytes.storeBytes(of: anyCookie, toByteOffset: 64, as: UInt64.self)
        }
        // The kernel queues its response before send returns.
        guard send(file, question, question.count, 0) == question.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 4096)
        let count = recv(file, &answer, answer.count, Int32(MSG_DONTWAIT))
        guard count >= answerLength else { return nil }
        return answer.withUnsafeBytes { bytes -> uid_t? in
            // Without a connection the kernel returns a listener at the port.
            guard bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == socketByFamily, bytes[17] != listens,
                bytes.loadUnaligned(fromByteOffset: 20, as: UInt16.self) == from.sin_port,
                bytes.loadUnaligned(fromByteOffset: 22, as: UInt16.self) == to.sin_port
            else { return nil }
            let isHeld = bytes.loadUnaligned(fromByteOffset: 84, as: UInt32.self) != 0
            return isHeld ? bytes.loadUnaligned(fromByteOffset: 80, as: uid_t.self) : nobody
        }
    }

    // MARK: All sockets

    /// One socket can be listed more than once: the kernel starts a row again when others open and close meanwhile.
    static func listedOwners(_ from: sockaddr_in, _ to: sockaddr_in) -> [uid_t] {
        [("/proc/net/tcp", ""), ("/proc/net/tcp6", "0000000000000000FFFF0000")].flatMap { path, mapped in
            owners(in: path, mapped + listed(from), mapped + listed(to))
        }
    }

    /// As in /proc/net/tcp: the address as a number in host memory order, the port as a number.
    private static func listed(_ end: sockaddr_in) -> String {
        func hex(_ number: UInt32, _ digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: digits - text.count) + text
        }
        return hex(end.sin_addr.s_addr, 8) + ":" + hex(UInt32(UInt16(bigEndian: end.sin_port)), 4)
    }

    private static func owners(in path: String, _ from: String, _ to: String) -> [uid_t] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var owners: [uid_t] = []
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, Int32(line.count), file) != nil {
            // sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …
            let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
                separator: " ")
            guard fields.count > 9, fields[1] == from, fields[2] == to, let owner = uid_t(fields[7]) else { continue }
            owners.append(fields[9] == "0" ? nobody : owner)
        }
        return owners
    }
}
