package import Glibc
package import NIOCore

extension Channel {
    /// The ends of a connection over IPv4: who has connected, and where to. Nil of any other channel.
    package var ends: (from: sockaddr_in, to: sockaddr_in)? {
        guard case .v4(let from) = remoteAddress, case .v4(let to) = localAddress else { return nil }
        return (from.address, to.address)
    }
}
