#if canImport(Glibc)
    internal import Glibc
#endif

extension FuzzTarget {
    /// A fault of each kind that a run is to find: who finds none of them would find none of ours either.
    static let planted = [
        FuzzTarget("planted-overflow", longest: 64) { bytes in
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
            defer { memory.deallocate() }
            hold(put(1, into: memory, at: 8 + bytes.count % 2) == 1, "what was written is read")
        },
        FuzzTarget("planted-leak", longest: 64) { _ in
            if let memory = malloc(1000) { _ = put(1, into: memory, at: 0) }
        },
        FuzzTarget("planted-claim", longest: 64) { bytes in
            hold(bytes.count > 64, "a claim that never holds")
        },
    ]

    /// Writes a byte and reads it: not inlined, or the optimizer leaves the fault off.
    @inline(never)
    private static func put(_ byte: UInt8, into memory: UnsafeMutableRawPointer, at offset: Int) -> UInt8 {
        memory.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        return memory.load(fromByteOffset: offset, as: UInt8.self)
    }
}
