import Crypto
import FoundationEssentials
import Glibc
import SystemPackage

/// Keys wrapped by systemd-creds(1) with a key of this machine, and its TPM if there is one. For root with any version;
/// for other users since version 256.
enum SystemCredential {
    private static let program = "/usr/bin/systemd-creds"
    private static let name = "--name=foyer-store"
    /// Enough for a TPM.
    private static let limit: Duration = .seconds(10)

    static var isThere: Bool { access(program, X_OK) == 0 }

    static func encrypt(_ key: SymmetricKey, path: String) throws(StoreError) -> [UInt8] {
        let output = try run("encrypt", key.withUnsafeBytes { Array($0) }, path)
        guard (1...SealedHeader.maximumWrapped).contains(output.count) else {
            throw StoreError(.credentials(why: "systemd-creds returned a key of \(output.count) bytes"), path: path)
        }
        return output
    }

    static func decrypt(_ wrapped: [UInt8], path: String) throws(StoreError) -> SymmetricKey {
        let output = try run("decrypt", wrapped, path)
        guard output.count == 32 else { throw StoreError(.credentials(why: "no key from systemd-creds"), path: path) }
        return SymmetricKey(data: output)
    }

    private static func run(_ verb: String, _ input: [UInt8], _ path: String) throws(StoreError) -> [UInt8] {
        guard isThere else { throw StoreError(.credentials(why: "systemd-creds not found"), path: path) }
        let arguments = (geteuid() == 0 ? [] : ["--user"]) + [verb, name, "-", "-"]
        let outcome = ChildProcess.run(
            program, arguments, input: input, mostOutput: SealedHeader.maximumWrapped + 1, limit: limit)
        switch outcome {
        case .exited(status: 0, let output): return output
        case .exited(let status, _):
            throw StoreError(.credentials(why: "systemd-creds exited with status \(status)"), path: path)
        case .timedOut: throw StoreError(.credentials(why: "systemd-creds timed out after 10 s"), path: path)
        case .notStarted(let code): throw StoreError(.credentials(why: code.description), path: path)
        }
    }
}
