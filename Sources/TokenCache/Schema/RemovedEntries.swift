import Glibc
package import Identity
import StrictJSON
import Synchronization

/// The entries of a removed account, until the program ends. They are not swapped out, and cleared when freed.
package final class RemovedEntries: Sendable {
    package let account: AccountID
    /// The client that they belong to; nil for all.
    let clientID: String?
    /// Marks the removal in the store until the account signs in again.
    let mark: String
    /// Follows the store that they were removed from, which can be moved before they are put back.
    fileprivate let watch: StoreWatch?
    private let memory: Mutex<LockedMemory>

    /// - Returns: nil if there are none, one of them has a name that cannot be decoded, or the system locks no memory.
    init?(_ edit: CacheEdit, of account: AccountID, clientID: String?, watch: StoreWatch? = nil) {
        guard let text = edit.formerEntries, let memory = LockedMemory(text) else { return nil }
        self.account = account
        self.clientID = clientID
        self.watch = watch
        mark = String(UInt64.random(in: .min ... .max), radix: 16)
        self.memory = Mutex(memory)
    }

    /// As a store of their own.
    func snapshot(path: String) throws(StoreError) -> CacheSnapshot {
        try CacheSnapshot(memory.withLock { $0.bytes }, path: path)
    }
}

/// Bytes in memory that is not swapped out, and cleared when freed.
private struct LockedMemory: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer

    /// - Returns: nil if the system locks no memory for this process.
    init?(_ bytes: [UInt8]) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 4096)
        guard mlock(room.baseAddress, room.count) == 0 else {
            room.deallocate()
            return nil
        }
        room.copyBytes(from: bytes)
        memory = room
    }

    var bytes: [UInt8] { Array(memory) }

    deinit {
        if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
        munlock(memory.baseAddress, memory.count)
        memory.deallocate()
    }
}

extension TokenCache {
    /// Puts the entries of a removed account back, unless something has happened to it since.
    package func restore(_ removed: RemovedEntries) throws(StoreError) -> Restoration {
        let former = try removed.snapshot(path: path)
        return try followed(by: removed).change { $0.restore(former, removed) }
    }

    private func followed(by removed: RemovedEntries) -> TokenCache {
        var cache = self
        cache.watch = watch ?? removed.watch
        return cache
    }

    /// Forgets that these removals could be undone.
    package func abandon(_ removed: [RemovedEntries]) throws(StoreError) {
        guard let first = removed.first else { return }
        try followed(by: first).change { edit in for entries in removed { edit.forgetRemoval(entries.mark) } }
    }
}

/// The result of undoing a removal. Anything but ``done`` changes nothing.
package enum Restoration: Sendable {
    case done
    /// The account has signed in again since, or another issuer's account could be taken for it.
    case signedInSince
    /// The account has signed in again since, and that sign-in was ended: a sign-out is final.
    case endedSince
}

extension CacheEdit {
    fileprivate mutating func restore(_ former: CacheSnapshot, _ removed: RemovedEntries) -> Restoration {
        let (account, clientID) = (removed.account, removed.clientID)
        let client = clientID.map(WantedClient.init)
        let isBack = Section.credentials.contains { section in
            snapshot.person(account, in: section).contains { entry in
                client.map { entry.isOf($0) } ?? true
            }
        }
        let hasNoIssuer = Section.credentials.contains { former.entries($0).contains { $0.issuer == nil } }
        let isAmbiguous =
            hasNoIssuer
            && Section.credentials.contains { section in
                snapshot.homonyms(account, in: section).contains { $0.issuer != account.issuer }
            }
        guard !isBack, !isAmbiguous else { return .signedInSince }
        guard isMarked(removed.mark) else { return .endedSince }
        forgetRemoval(removed.mark)
        // The marks of the removal itself; those from before are among the entries.
        if let clientID { unmarkSignedOut(account, clientID: clientID) }
        for section in Section.allCases {
            let present = Set(keptEntries(of: section).compactMap(\.key))
            for entry in former.entries(section) {
                guard let key = entry.key, !present.contains(key) else { continue }
                insert(key, in: section, Array(entry.outline.source(of: entry.node)))
            }
        }
        return .done
    }

    // MARK: The mark of a removal

    /// The number of removals that can be undone at a time; the oldest is final then.
    private static let mostRemovals = 16

    /// Marks a removal that can be undone, until ``endRemovals(of:clientID:)``. The mark does not say whose it is.
    mutating func noteRemoval(_ removed: RemovedEntries) {
        let marks = snapshot.entries(.accountMetadata).filter { $0.has("removal") }
        for entry in marks.dropLast(Self.mostRemovals - 1) { remove(entry, from: .accountMetadata) }
        insert(
            markKey("removal", removed.mark), in: .accountMetadata,
            [("removal", removed.mark), ("removed", Self.digest(removed.account, clientID: removed.clientID))])
    }

    /// After a sign-in, an earlier removal cannot be undone: not even once that sign-in was ended.
    mutating func endRemovals(of account: AccountID, clientID: String) {
        let digests = [clientID, nil].map { Array(Self.digest(account, clientID: $0).utf8) }
        for entry in snapshot.entries(.accountMetadata)
        where digests.contains(where: { entry.isEqual("removed", $0) }) {
            remove(entry, from: .accountMetadata)
        }
    }

    mutating func forgetRemoval(_ mark: String) {
        let mark = Array(mark.utf8)
        for entry in snapshot.entries(.accountMetadata) where entry.isEqual("removal", mark) {
            remove(entry, from: .accountMetadata)
        }
    }

    private func isMarked(_ mark: String) -> Bool {
        let mark = Array(mark.utf8)
        return snapshot.entries(.accountMetadata).contains { $0.isEqual("removal", mark) }
    }

    private static func digest(_ account: AccountID, clientID: String?) -> String {
        StableHash.hexadecimal([
            account.home, HomeAccountID.canonical(account.homeAccountID, issuer: account.issuer),
            clientID.map { ClientID.canonical($0, issuer: account.issuer) } ?? "*",
        ])
    }
}
