package import Glibc

/// `struct ucred` of unix(7): the peer of a Unix socket. For a client it is the process that called listen(2).
package struct PeerCredentials: Hashable, Sendable {
    package let pid: pid_t
    package let uid: uid_t
    package let gid: gid_t

    package init?(ofSocket file: Int32) {
        var peer = (pid: pid_t(0), uid: uid_t.max, gid: gid_t.max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0,
            size == socklen_t(MemoryLayout.size(ofValue: peer))
        else { return nil }
        (pid, uid, gid) = peer
    }
}
