package import Glibc
package import NIOCore

extension Channel {
    /// Client and server addresses of an IPv4 connection; nil for any other.
    package var ends: (from: sockaddr_in, to: sockaddr_in)? {
        guard case .v4(let from) = remoteAddress, case .v4(let to) = localAddress else { return nil }
        return (from.address, to.address)
    }
}
