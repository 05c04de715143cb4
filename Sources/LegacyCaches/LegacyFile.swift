import Identity
import StrictJSON

extension LegacyCache {
    /// Reads a legacy cache of any format. A damaged item does not affect others: each becomes a problem.
    ///
    /// - Parameter localTime: converts a time without a zone; uses the machine's zone by default.
    package init(_ bytes: [UInt8], localTime: (LegacyTime) -> Double? = { $0.secondsInLocalZone }) {
        self.init(format: nil)
        do throws(LegacyProblem.Situation) {
            guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
            guard !bytes.isEmpty else { throw .truncated }
            if bytes.starts(with: PropertyList.binaryMagic) {
                format = .objectiveC
                read(try PropertyList(binary: bytes))
            } else if bytes.starts(with: Self.windowsProtection) {
                throw .notLegacy("encrypted by Windows (DPAPI); only the Windows account that wrote it can read it")
            } else if ADALNetCache.isOne(bytes) {
                format = .dotNet
                try readNetCache(bytes)
            } else {
                try readText(try LegacyText.utf8(of: bytes), localTime: localTime)
            }
        } catch {
            problems.append(LegacyProblem(error))
        }
    }

    private mutating func readText(_ text: [UInt8], localTime: (LegacyTime) -> Double?) throws(LegacyProblem.Situation)
    {
        guard let start = text.firstIndex(where: { !LegacyText.isWhitespace($0) }) else { throw .truncated }
        let rest = text[start...]
        switch text[start] {
        case UInt8(ascii: "["):
            format = .python
            try readAccessTokens(text, from: start, localTime: localTime)
        case UInt8(ascii: "<")
        where rest.starts(with: "<?xml".utf8) || rest.starts(with: "<!DOCTYPE plist".utf8)
            || rest.starts(with: "<plist".utf8):
            format = .objectiveC
            read(try PropertyList(xml: Array(rest)))
        case UInt8(ascii: "{"):
            throw Self.isUnified(text) ? .unified : .unknownFormat
        default: throw .unknownFormat
        }
    }

    /// Whether the file has MSAL's unified schema, the same as foyer's own store.
    private static func isUnified(_ text: [UInt8]) -> Bool {
        let sections: [StaticString] = [
            "AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata", "AccountMetadata", "LegacyRefreshToken",
        ]
        do throws(JSONError) {
            let outline = try JSONOutline(text, limits: JSONLimits(maximumBytes: maximumBytes, maximumDepth: 32))
            let known = sections.compactMap { outline.section(named: $0) }
            return !known.isEmpty && known.allSatisfy(outline.isObject)
        } catch { return false }
    }

    /// The version and provider GUID at the start of every DPAPI blob.
    private static let windowsProtection: [UInt8] = [
        0x01, 0x00, 0x00, 0x00, 0xD0, 0x8C, 0x9D, 0xDF, 0x01, 0x15, 0xD1, 0x11, 0x8C, 0x7A, 0x00, 0xC0, 0x4F, 0xC2,
        0x97, 0xEB,
    ]

    /// - Parameter item: position in the file, from 1.
    mutating func add(item: Int, _ body: () throws(LegacyProblem.Situation) -> LegacyEntry) {
        do throws(LegacyProblem.Situation) {
            entries.append(try body())
            items.append(item)
        } catch { problems.append(LegacyProblem(error, item: item)) }
    }
}

/// Text encodings of legacy files: editors and PowerShell have rewritten many of them.
enum LegacyText {
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    /// Converts to UTF-8 without a byte order mark. UTF-16 is detected by its mark, or by a zero next to the first
    /// character. Invalid UTF-8 is kept: it only affects the item that contains it.
    static func utf8(of bytes: [UInt8]) throws(LegacyProblem.Situation) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE, 0x00, 0x00]) || bytes.starts(with: [0x00, 0x00, 0xFE, 0xFF]) {
            throw .encoding("it is UTF-32")
        }
        if bytes.starts(with: [0xFF, 0xFE]) { return try utf16(bytes.dropFirst(2), isLittleEndian: true) }
        if bytes.starts(with: [0xFE, 0xFF]) { return try utf16(bytes.dropFirst(2), isLittleEndian: false) }
        if bytes.count >= 2, bytes[1] == 0, bytes[0] != 0 { return try utf16(bytes[...], isLittleEndian: true) }
        if bytes.count >= 2, bytes[0] == 0, bytes[1] != 0 { return try utf16(bytes[...], isLittleEndian: false) }
        return bytes
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) throws(LegacyProblem.Situation)
        -> [UInt8]
    {
        guard bytes.count.isMultiple(of: 2) else { throw .encoding("it is UTF-16 with an odd number of bytes") }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            units.append(isLittleEndian ? second << 8 | first : first << 8 | second)
            index += 2
        }
        // Half a surrogate pair becomes U+FFFD, which no field accepts.
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

extension LegacyText {
    /// Decodes standard base64, with or without line breaks; nil if invalid.
    static func base64(_ text: String) -> [UInt8]? {
        let dense = text.utf8.filter { !isWhitespace($0) }
        guard dense.count.isMultiple(of: 4), !dense.contains(UInt8(ascii: "-")), !dense.contains(UInt8(ascii: "_"))
        else { return nil }
        return Base64URL.decodeLeniently(String(decoding: dense, as: UTF8.self))
    }
}
