extension String {
    /// Whether it has only ASCII letters, digits, `-` and `_`.
    package var isPlainName: Bool {
        allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Whether a user may give a client this name in the settings.
    package var isClientName: Bool { !isEmpty && utf8.count <= 64 && isPlainName }
}
