package import Glibc

/// `struct ucred` of unix(7): who is at the other end of a Unix socket. For a listener's client that is whoever has
/// called listen(2).
package struct PeerCredentials: Hashable, Sendable {
    package let pid: pid_t
    package let uid: uid_t
    package let gid: gid_t

    /// Nil when the kernel does not say.
    package init?(ofSocket file: Int32) {
        var peer = (pid: pid_t(0), uid: uid_t.max, gid: gid_t.max)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        guard getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0,
            size == socklen_t(MemoryLayout.size(ofValue: peer))
        else { return nil }
        (pid, uid, gid) = peer
    }
}
