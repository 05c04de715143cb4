// Fuzz gives hostile bytes to what reads them, under libFuzzer: `Tests/run fuzz`.
// A target claims more than that nothing ends the process: see `hold`.

internal import CFuzzer

#if canImport(Glibc)
    internal import Glibc
#endif

/// Something that reads what others wrote.
struct FuzzTarget: Sendable {
    /// What it is asked for by, and the folder of its seeds.
    let name: String
    /// Bytes of the longest input.
    let longest: Int
    /// Words that the readers look for.
    let words: [String]
    let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, longest: Int, words: [String] = [], _ run: @escaping @Sendable ([UInt8]) -> Void) {
        self.name = name
        self.longest = longest
        self.words = words
        self.run = run
    }
}

/// Ends the process where a claim does not hold: libFuzzer then keeps the input.
func hold(_ isSo: Bool, _ claim: @autoclosure () -> String) {
    if !isSo { fatalError(claim()) }
}

/// The program of all targets.
///
///     foyer-fuzz list                        prints a line for each target: its name, and its longest input
///     foyer-fuzz words NAME                  prints the target's dictionary, as libFuzzer reads it
///     FOYER_FUZZ_TARGET=NAME foyer-fuzz …    runs one with libFuzzer's options, folders and files
///
/// `planted` is no part of the list: `fuzz.py` runs its three first, and goes on if each is found.
@main enum Fuzz {
    private static let targets = [
        FuzzTarget.json, .jsonEdit, .jsonPieces, .cache, .index, .legacy, .propertyList, .token, .text, .loopback,
        .toml,
        .theme, .settings, .agent, .terminal, .git, .challenge, .discovery, .redirect, .docker, .azureProfile,
    ]
    /// libFuzzer starts the program again with its options alone, so that the name is in the environment.
    private static let target: FuzzTarget? = {
        guard let name = getenv("FOYER_FUZZ_TARGET") else { return nil }
        return (targets + FuzzTarget.planted).first { $0.name == String(cString: name) }
    }()

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments == ["list"] {
            for target in targets { print(target.name, target.longest) }
        } else if arguments.first == "words", let target = targets.first(where: { $0.name == arguments.last }) {
            for word in target.words { print(quoted(word)) }
        } else if target != nil {
            var count = CommandLine.argc
            var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
            exit(
                LLVMFuzzerRunDriver(&count, &values) { data, size in
                    Fuzz.target?.run(Array(UnsafeBufferPointer(start: data, count: size)))
                    return 0
                })
        } else {
            print("FOYER_FUZZ_TARGET names none of: \(targets.map(\.name).joined(separator: " "))")
            exit(64)
        }
    }

    private static func quoted(_ word: String) -> String {
        var line = "\""
        for byte in word.utf8 {
            if (0x20...0x7E).contains(byte), byte != 0x22, byte != 0x5C {
                line.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                line += "\\x" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return line + "\""
    }
}
