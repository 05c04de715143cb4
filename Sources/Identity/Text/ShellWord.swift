extension String {
    /// The string as one word to paste into a POSIX shell, quoted if needed (Shell Command Language, section 2.2.2).
    package var shellWord: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: Self.plainMarks.contains(byte)
                }
            }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }

    private static let plainMarks: [UInt8] = Array("@%+:,./_-".utf8)
}
