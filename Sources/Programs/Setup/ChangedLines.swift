/// A diff for display: lines begin with `+` or `-`. The files can hold other programs' secrets, so only lines that
/// setup writes are shown in full. For other lines only a known setting's name is shown, as an apparent name could be
/// part of a private key.
enum ChangedLines {
    private static let most = 200

    /// - Parameter known: lines that setup writes, without surrounding white space, and strings that it puts into
    ///   lines.
    static func of(_ before: [UInt8]?, _ after: [UInt8]?, known: [String]) -> [String] {
        let old = lines(before)
        let new = lines(after)
        let changes = new.difference(from: old)
        var places: [(line: Int, text: String)] = []
        // In file order; a removed line precedes its replacement.
        var removed: [Int: String] = [:]
        var inserted: [Int: String] = [:]
        for change in changes {
            switch change {
            case .remove(let offset, let line, _): removed[offset] = line
            case .insert(let offset, let line, _): inserted[offset] = line
            }
        }
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if let line = removed[left] {
                places.append((left, "-" + shown(line, known)))
                left += 1
            } else if let line = inserted[right] {
                places.append((right, "+" + shown(line, known)))
                right += 1
            } else {
                left += 1
                right += 1
            }
        }
        guard places.count > most else { return places.map(\.text) }
        return places.prefix(most).map(\.text) + ["… and \(places.count - most) more lines"]
    }

    private static func lines(_ bytes: [UInt8]?) -> [String] {
        guard let bytes, !bytes.isEmpty else { return [] }
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func shown(_ line: String, _ known: [String]) -> String {
        let indent = line.prefix(while: \.isWhitespace).reduce("") { $0 + ($1 == "\t" ? "    " : " ") }
        var text = String(line.drop(while: \.isWhitespace))
        while text.last?.isWhitespace == true { text.removeLast() }
        let end = text.last == "," ? "," : ""
        let bare = end.isEmpty ? text : String(text.dropLast())
        if text.isEmpty || known.contains(text) || known.contains(bare) { return indent + text }
        if let part = known.filter({ $0.utf8.count > 8 && !$0.hasSuffix("{") && text.contains($0) }).max(by: {
            $0.utf8.count < $1.utf8.count
        }) {
            return indent + "… " + part + " …"
        }
        return indent + (SettingName.beginning(text).map { $0 + " …" } ?? "…")
    }
}
