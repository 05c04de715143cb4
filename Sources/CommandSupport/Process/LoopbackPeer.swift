import FoundationEssentials
package import Glibc

/// Whose process is at the other end of a TCP connection on loopback, as the kernel tells: it is asked for the one
/// socket (sock_diag(7)), and where it does not answer such questions, all of them are read (proc(5), /proc/net/tcp).
///
/// The latter takes as long as the machine has sockets: call this where waiting is allowed, and not for everybody who
/// has but connected.
package enum LoopbackPeer {
    /// Whether the socket that has connected from one end to the other is of this user or of root. Where the kernel
    /// does not say, as for a connection that was forwarded from another machine, nobody else of this machine can have
    /// made it, and it is. One that its process has closed is not.
    package static func isOwn(from: sockaddr_in, to: sockaddr_in) -> Bool {
        owners(from, to).allSatisfy { $0 == geteuid() || $0 == 0 }
    }

    /// The same where only a socket of this machine may ask: what the kernel does not know is nobody's.
    package static func isKnownAsOwn(from: sockaddr_in, to: sockaddr_in) -> Bool {
        let owners = owners(from, to)
        return !owners.isEmpty && owners.allSatisfy { $0 == geteuid() || $0 == 0 }
    }

    /// A socket that no process holds any more is root's by its number.
    static let nobody = uid_t.max

    /// That the one socket is not there, and that this kernel tells nothing of TCP, is one error to netlink.
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

    /// `struct nlmsghdr` and `struct inet_diag_req_v2` to the kernel, `struct nlmsghdr` and `struct inet_diag_msg` from
    /// it. A socket of IPv6 that has connected to an address of IPv4 is found as well.
    ///
    /// - Returns: nil when the kernel knows none, or does not say.
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
        // The kernel has answered when it has taken the question.
        guard send(file, question, question.count, 0) == question.count else { return nil }
        var answer = [UInt8](repeating: 0, count: 4096)
        let count = recv(file, &answer, answer.count, Int32(MSG_DONTWAIT))
        guard count >= answerLength else { return nil }
        return answer.withUnsafeBytes { bytes -> uid_t? in
            // A listener at the port is found where no connection is.
            guard bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == socketByFamily, bytes[17] != listens,
                bytes.loadUnaligned(fromByteOffset: 20, as: UInt16.self) == from.sin_port,
                bytes.loadUnaligned(fromByteOffset: 22, as: UInt16.self) == to.sin_port
            else { return nil }
            let isHeld = bytes.loadUnaligned(fromByteOffset: 84, as: UInt32.self) != 0
            return isHeld ? bytes.loadUnaligned(fromByteOffset: 80, as: uid_t.self) : nobody
        }
    }

    // MARK: All sockets

    static func listedOwners(_ from: sockaddr_in, _ to: sockaddr_in) -> [uid_t] {
        [("/proc/net/tcp", ""), ("/proc/net/tcp6", "0000000000000000FFFF0000")].flatMap { path, mapped in
            owners(in: path, mapped + listed(from), mapped + listed(to))
        }
    }

    /// The address as a number of this machine's, the port as one.
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
