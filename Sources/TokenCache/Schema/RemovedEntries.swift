import Glibc
package import Identity
import StrictJSON
import Synchronization

/// The entries of a removed account, until the program ends. They are not swapped out, and cleared when freed.
package final class RemovedEntries: Sendable {
    package let account: AccountID
    /// The client that they belong to; nil for all.
    let clientID: String?
    private let memory: Mutex<LockedMemory>

    /// - Returns: nil if there are none, one of them has a name that cannot be decoded, or the system locks no memory.
    init?(_ edit: CacheEdit, of account: AccountID, clientID: String?) {
        guard let text = edit.formerEntries, let memory = LockedMemory(text) else { return nil }
        self.account = account
        self.clientID = clientID
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
    /// Puts the entries of a removed account back.
    ///
    /// - Returns: false, without a change, if the account has signed in again since, or if another issuer's account
    ///   could be taken for it.
    package func restore(_ removed: RemovedEntries) throws(StoreError) -> Bool {
        let former = try removed.snapshot(path: path)
        return try change { $0.restore(former, of: removed.account, clientID: removed.clientID) }
    }
}

extension CacheEdit {
    fileprivate mutating func restore(_ former: CacheSnapshot, of account: AccountID, clientID: String?) -> Bool {
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
        guard !isBack, !isAmbiguous else { return false }
        // The marks of the removal itself; those from before are among the entries.
        if let clientID { unmarkSignedOut(account, clientID: clientID) }
        for section in Section.allCases {
            let present = Set(keptEntries(of: section).compactMap(\.key))
            for entry in former.entries(section) {
                guard let key = entry.key, !present.contains(key) else { continue }
                insert(key, in: section, Array(entry.outline.source(of: entry.node)))
            }
        }
        return true
    }
}
