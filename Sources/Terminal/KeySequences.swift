import Keys

/// Key sequences that terminals send regardless of their description.
enum KeySequences {
    /// `ESC O` and a letter: application mode and keypad.
    static func application(_ final: UInt32) -> Key? {
        switch final {
        case 0x50...0x53: .function(Int(final) - 0x4F)  // P Q R S
        case 0x4D: .enter
        case 0x6A...0x79: keypad(final)
        default: cursor(final)
        }
    }

    /// `ESC [`, parameters, and a final byte.
    static func control(_ parameters: String, final: UInt32) -> Key? {
        if parameters == "[" {
            return (0x41...0x45).contains(final) ? .function(Int(final) - 0x40) : nil
        }
        // A private report (`?`, `>`, `<`, `=`) is never a key.
        guard parameters.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x3B }) else { return nil }
        let numbers = parameters.split(separator: ";", omittingEmptySubsequences: false)
        guard numbers.count <= 2 else { return nil }
        if numbers.count == 2 {
            // The second number encodes the modifiers: 2 to 16.
            guard let modifiers = UInt8(numbers[1]), (1...16).contains(modifiers) else { return nil }
        }
        if final == 0x7E { return numbers.first.flatMap { UInt8($0) }.flatMap(numbered) }
        guard parameters.isEmpty || numbers.first == "1" else { return nil }
        if final == 0x5A { return parameters.isEmpty ? .backTab : nil }
        // `ESC [ 1 ; 2 P` is Shift-F1. `R` is excluded because it ends the cursor position report.
        if !parameters.isEmpty, [0x50, 0x51, 0x53].contains(final) { return .function(Int(final) - 0x4F) }
        return cursor(final)
    }

    private static func cursor(_ final: UInt32) -> Key? {
        switch final {
        case 0x41: .up
        case 0x42: .down
        case 0x43: .right
        case 0x44: .left
        case 0x46: .end
        case 0x48: .home
        default: nil
        }
    }

    private static func numbered(_ number: UInt8) -> Key? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(Int(number) - 10)
        case 17...21: .function(Int(number) - 11)
        case 23, 24: .function(Int(number) - 12)
        default: nil
        }
    }

    /// The keypad's `*` to `9` in application mode.
    private static func keypad(_ final: UInt32) -> Key? {
        Unicode.Scalar(final - 0x40).map { .character(Character($0)) }
    }
}
