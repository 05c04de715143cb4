package import Identity
import StrictJSON
import Synchronization

/// The host names of one cloud, as Microsoft's instance discovery tells them.
package struct InstanceRecord: Hashable, Sendable {
    /// The host to send requests to; with a port only where the provider gave one, on this machine.
    package let preferredNetwork: String
    /// The host under which cache entries are written by other libraries.
    package let preferredCache: String
    /// Every name of the cloud, lower-case.
    package let aliases: [String]

    /// The names under which the cache may hold entries of a host: preferred cache name, the host itself, then the
    /// others.
    package func environments(for host: String) -> [String] {
        var seen: Set<String> = []
        return ([preferredCache, host] + aliases).filter { seen.insert($0).inserted }
    }
}

/// Asks Microsoft whether a host that is in nobody's table is one of its own, before anything is sent to it, and under
/// which names it is known.
///
/// What was learnt is kept for the life of the process: ``environments(of:)`` is then to be used wherever the built-in
/// table's `Cloud.aliases(of:)` would be, and ``isSame(_:_:)`` in place of `Cloud.isSame`; both fall back to the table.
package actor InstanceDiscovery {
    private enum CachedAnswer {
        case record(InstanceRecord)
        /// `invalid_instance`: the host is not Microsoft's.
        case foreign
    }

    private static let mostEntries = 64
    private let transport: Transport
    private let cached = Mutex<[String: CachedAnswer]>([:])
    private let requests = SharedRequests<String, InstanceRecord>()

    package init(transport: Transport) { self.transport = transport }

    /// Whether an authority must be asked about: only Entra's kind, on a host that neither the table nor the
    /// application vouches for. This machine needs nobody's word.
    ///
    /// - Parameter knownAuthorities: hosts, or addresses of authorities, that the application vouches for.
    package static func isNeeded(for authority: Authority, knownAuthorities: [String] = []) -> Bool {
        guard authority.kind == .aad, !authority.isKnownCloud, !authority.address.isLoopback else { return false }
        let hosts = knownAuthorities.map { (try? WebAddress($0))?.hostAndPort ?? $0.asciiLowercased }
        return !hosts.contains(authority.address.hostAndPort) && !hosts.contains(authority.address.host)
    }

    /// The record of an authority's host: from the table, from memory, or asked for. Concurrent callers share one
    /// request; a caller that is cancelled is let go at once, and with the last one the request ends.
    ///
    /// Asked is the host itself when the table knows it or it is this machine, else the public cloud.
    /// - Throws: `untrusted` when the host is nobody's (kept for the life of the process) or the answer is malformed
    ///   anywhere; transport errors when nobody could be asked, which are not kept: nothing may be sent to the host
    ///   then either.
    package func record(of authority: Authority) async throws(WireError) -> InstanceRecord {
        let host = authority.address.hostAndPort
        if let cloud = Cloud.containing(host: host) {
            return InstanceRecord(
                preferredNetwork: cloud.preferredNetwork, preferredCache: cloud.preferredCache, aliases: cloud.aliases)
        }
        switch cached.withLock({ $0[host] }) {
        case .record(let record): return record
        case .foreign: throw Self.foreign(authority)
        case nil: break
        }
        return try await requests.value(for: host) { await self.ask(authority) }
    }

    /// The names under which a host is known, itself included: what was learnt, else the table's.
    package nonisolated func environments(of host: String) -> [String] {
        guard case .record(let record) = cached.withLock({ $0[host] }) else { return Cloud.aliases(of: host) }
        return record.environments(for: host)
    }

    /// Whether two environments are one, by what was learnt or by the table.
    package nonisolated func isSame(_ left: String, _ right: String) -> Bool {
        Cloud.isSame(left, right) || environments(of: left).contains(right) || environments(of: right).contains(left)
    }

    /// Whether a host is one of Microsoft's, by the table or by a record that was learnt (`cloud_instance_host_name`).
    package nonisolated func isRecognized(_ host: String) -> Bool {
        if Cloud.containing(host: host) != nil { return true }
        return cached.withLock { cached in
            cached.values.contains {
                if case .record(let record) = $0 { return record.aliases.contains(host) }
                return false
            }
        }
    }

    private func ask(_ authority: Authority) async -> Result<InstanceRecord, WireError> {
        let own = authority.address
        let origin = own.isLoopback ? own.origin : "https://login.microsoftonline.com"
        // The address as Entra's own endpoints have it, for the tenant that is asked.
        let endpoint = FormEncoding.escape("\(own.origin)/\(authority.tenant)/oauth2/v2.0/authorize")
        do throws(WireError) {
            let address: WebAddress
            do {
                address = try WebAddress(
                    "\(origin)/common/discovery/instance?api-version=1.1&authorization_endpoint=\(endpoint)")
            } catch { throw .badEndpoint(name: "authority", error) }
            let reply = try await transport.send(HTTPRequest(address))
            try reply.requireService()
            let object = try reply.object()
            if let error = OAuthError(Claims(object), status: reply.status) {
                guard error.error == "invalid_instance" else { throw WireError.refused(error) }
                cached.withLock { $0[own.hostAndPort] = .foreign }
                throw Self.foreign(authority)
            }
            guard reply.status == 200 else {
                throw WireError.notJSON(host: reply.host, status: reply.status, why: "no instance metadata")
            }
            let records = try Self.records(object)
            let found = records.first { $0.aliases.contains(own.hostAndPort) || $0.aliases.contains(own.host) }
            // Not named in an answer that vouches for it: it stands for itself.
            var record =
                found
                ?? InstanceRecord(
                    preferredNetwork: own.hostAndPort, preferredCache: own.hostAndPort, aliases: [own.hostAndPort])
            if own.isLoopback {
                // A provider on this machine speaks for this machine only.
                guard record.aliases.allSatisfy(Self.isOfThisMachine) else {
                    throw Self.malformed("a name beyond this machine")
                }
                cached.withLock { [record] in $0[own.hostAndPort] = .record(record) }
            } else {
                let keep = records + (found == nil ? [record] : [])
                cached.withLock { cached in
                    for record in keep { for alias in record.aliases { cached[alias] = .record(record) } }
                }
                record = cached.withLock { cached in
                    if case .record(let record) = cached[own.hostAndPort] { return record }
                    return record
                }
            }
            return .success(record)
        } catch { return .failure(error) }
    }

    /// Everything has its type and every name is a host, or nothing of it is believed.
    private static func records(_ object: JSONObject) throws(WireError) -> [InstanceRecord] {
        guard let text = object["tenant_discovery_endpoint"]?.string, (try? WebAddress(text)) != nil else {
            throw malformed("no address of the tenant's metadata")
        }
        guard let value = object["metadata"], value != .null else { return [] }
        guard let entries = value.array, entries.count <= mostEntries else {
            throw malformed("the metadata is no list")
        }
        var records: [InstanceRecord] = []
        for entry in entries {
            guard let entry = entry.object, let network = host(entry["preferred_network"]),
                let cache = host(entry["preferred_cache"]),
                let names = entry["aliases"]?.array, !names.isEmpty, names.count <= mostEntries
            else { throw malformed("an entry of the metadata is not complete") }
            let aliases = names.compactMap { host($0) }
            guard aliases.count == names.count else { throw malformed("an alias is no host") }
            records.append(InstanceRecord(preferredNetwork: network, preferredCache: cache, aliases: aliases))
        }
        return records
    }

    private static func host(_ value: JSONValue?) -> String? {
        guard let text = value?.string, let address = try? WebAddress("https://" + text), address.path.isEmpty,
            address.query == nil
        else {
            return nil
        }
        return address.hostAndPort
    }

    private static func isOfThisMachine(_ name: String) -> Bool { (try? WebAddress("http://" + name)) != nil }

    private static func malformed(_ detail: String) -> WireError {
        .untrusted(check: .instanceMetadata, detail: detail)
    }

    private static func foreign(_ authority: Authority) -> WireError {
        .untrusted(
            check: .authority,
            detail: "Microsoft does not know \(authority.address.host); for another provider set kind = \"oidc\"")
    }
}
