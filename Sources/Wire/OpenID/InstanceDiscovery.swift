package import Identity
import StrictJSON
import Synchronization

/// One cloud's host names from Microsoft's instance discovery.
package struct InstanceRecord: Hashable, Sendable {
    /// The host for requests; with a port only on this machine, if the provider sent one.
    package let preferredNetwork: String
    /// The host that other libraries write into cache entries.
    package let preferredCache: String
    /// Every name of the cloud, lowercase.
    package let aliases: [String]

    /// Possible hosts of a host's cache entries: the preferred cache name first, then the host itself, then the others.
    package func environments(for host: String) -> [String] {
        var seen: Set<String> = []
        return ([preferredCache, host] + aliases).filter { seen.insert($0).inserted }
    }
}

/// Asks Microsoft whether an unlisted host is one of its own, before anything is sent to it, and for its other names.
///
/// Results are kept for the life of the process. Use ``environments(of:)`` instead of `Cloud.aliases(of:)`, and
/// ``isSame(_:_:)`` instead of `Cloud.isSame`; both fall back to the built-in table.
package actor InstanceDiscovery {
    private enum CachedAnswer {
        case record(InstanceRecord)
        /// `invalid_instance`: not a Microsoft host.
        case foreign
    }

    private static let mostEntries = 64
    private let transport: Transport
    private let cached = Mutex<[String: CachedAnswer]>([:])
    private let requests = SharedRequests<String, InstanceRecord>()

    package init(transport: Transport) { self.transport = transport }

    /// Whether to ask: only for Entra's kind, on a host that neither the table nor the application trusts.
    ///
    /// - Parameter knownAuthorities: hosts or authority URLs that the application trusts.
    package static func isNeeded(for authority: Authority, knownAuthorities: [String] = []) -> Bool {
        guard authority.kind == .aad, !authority.isKnownCloud, !authority.address.isLoopback else { return false }
        let hosts = knownAuthorities.map { (try? WebAddress($0))?.hostAndPort ?? $0.asciiLowercased }
        return !hosts.contains(authority.address.hostAndPort) && !hosts.contains(authority.address.host)
    }

    /// The record of an authority's host: from the table, from memory, or requested from the host itself on loopback,
    /// else from the public cloud. Concurrent callers share a request; canceling the last one cancels it.
    ///
    /// - Throws: `untrusted` if Microsoft does not know the host (kept for the life of the process) or the response is
    ///   malformed anywhere. Transport errors are not kept; nothing may be sent to the host then either.
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

    package nonisolated func environments(of host: String) -> [String] {
        guard case .record(let record) = cached.withLock({ $0[host] }) else { return Cloud.aliases(of: host) }
        return record.environments(for: host)
    }

    package nonisolated func isSame(_ left: String, _ right: String) -> Bool {
        Cloud.isSame(left, right) || environments(of: left).contains(right) || environments(of: right).contains(left)
    }

    /// Whether a host is Microsoft's, by the table or by discovery (`cloud_instance_host_name`).
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
        // The URL in the form of Entra's endpoints, with the requested tenant.
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
            // Confirmed but not listed: the host is its own only name.
            var record =
                found
                ?? InstanceRecord(
                    preferredNetwork: own.hostAndPort, preferredCache: own.hostAndPort, aliases: [own.hostAndPort])
            if own.isLoopback {
                // A provider on this machine may only name local hosts.
                guard record.aliases.allSatisfy(Self.isOfThisMachine) else {
                    throw Self.malformed("a public host name")
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

    /// All or nothing: each value must have its type, and each name must be a host.
    private static func records(_ object: JSONObject) throws(WireError) -> [InstanceRecord] {
        guard let text = object["tenant_discovery_endpoint"]?.string, (try? WebAddress(text)) != nil else {
            throw malformed("no URL of the tenant's metadata")
        }
        guard let value = object["metadata"], value != .null else { return [] }
        guard let entries = value.array, entries.count <= mostEntries else {
            throw malformed("the metadata is not a list")
        }
        var records: [InstanceRecord] = []
        for entry in entries {
            guard let entry = entry.object, let network = host(entry["preferred_network"]),
                let cache = host(entry["preferred_cache"]),
                let names = entry["aliases"]?.array, !names.isEmpty, names.count <= mostEntries
            else { throw malformed("an incomplete metadata entry") }
            let aliases = names.compactMap { host($0) }
            guard aliases.count == names.count else { throw malformed("an alias is not a host name") }
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
            detail: "\(authority.address.host) is not a Microsoft authority; for another provider set kind = \"oidc\"")
    }
}
