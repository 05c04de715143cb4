import Console

/// Shortens names in the middle so that they remain distinct: keeps the start, the end, and the domain of an address.
package enum MiddleTruncation {
    /// `giovanni.lindqvist@contoso.com` as `giovann…@contoso.com`; shorter strings are unchanged.
    package static func cut(_ text: String, columns limit: Int, ellipsis: String = "…") -> String {
        guard DisplayWidth.columns(text) > limit else { return text }
        let room = limit - DisplayWidth.columns(ellipsis)
        guard room > 1 else { return DisplayWidth.prefix(text, columns: limit) }
        return joined(text, head: usualHead(text, room: room), room: room, ellipsis: ellipsis)
    }

    /// Shortens each string, keeping different ones distinct by cutting at other positions if needed. A string that no
    /// cut keeps distinct exceeds the limit.
    ///
    /// - Parameter keepsEnd: false cuts at the end, as for a list of names.
    package static func distinct(
        _ texts: [String], columns limit: Int, keepsEnd: Bool = true, ellipsis: String = "…"
    ) -> [String] {
        var found: [String: String] = [:]
        for text in texts where found[text] == nil {
            found[text] =
                keepsEnd
                ? cut(text, columns: limit, ellipsis: ellipsis)
                : DisplayWidth.clip(text, columns: limit, ellipsis: ellipsis)
        }
        var taken = Dictionary(grouping: found.keys.sorted()) { found[$0] ?? "" }
        let groups = taken.filter { $0.value.count > 1 }
        for shown in groups.keys { taken[shown] = nil }
        for texts in groups.values.sorted(by: { $0[0] < $1[0] }) {
            let common = commonCut(texts, columns: limit, ellipsis: ellipsis) { cuts in
                Set(cuts).count == cuts.count && cuts.allSatisfy { taken[$0] == nil }
            }
            for (index, text) in texts.enumerated() {
                let own = common.map { [$0[index]] } ?? cuts(text, columns: limit, ellipsis: ellipsis)
                let shown = own.first { taken[$0] == nil } ?? text
                found[text] = shown
                taken[shown] = [text]
            }
        }
        return texts.map { found[$0] ?? $0 }
    }

    /// The first cut that keeps all strings distinct: without domains if the local parts differ; with a head of some
    /// length, longest first; or starting at the first difference.
    private static func commonCut(
        _ texts: [String], columns limit: Int, ellipsis: String, where tellsApart: ([String]) -> Bool
    ) -> [String]? {
        let locals = localParts(texts, columns: limit, ellipsis: ellipsis)
        if let locals, tellsApart(locals) { return locals }
        let room = limit - DisplayWidth.columns(ellipsis)
        guard room > 1 else { return nil }
        for head in stride(from: room, through: 0, by: -1) {
            let cuts = texts.map { joined($0, head: head, room: room, ellipsis: ellipsis) }
            if tellsApart(cuts) { return cuts }
        }
        let windows = windows(texts, columns: limit, ellipsis: ellipsis)
        return windows.flatMap { tellsApart($0) ? $0 : nil }
    }

    private static func cuts(_ text: String, columns limit: Int, ellipsis: String) -> [String] {
        let room = limit - DisplayWidth.columns(ellipsis)
        guard room > 1 else { return [] }
        return stride(from: room, through: 0, by: -1).map { joined(text, head: $0, room: room, ellipsis: ellipsis) }
    }

    private static func localParts(_ texts: [String], columns limit: Int, ellipsis: String) -> [String]? {
        let locals = texts.compactMap { text in text.lastIndex(of: "@").map { String(text[..<$0]) } }
        let end = "@" + ellipsis
        let room = limit - DisplayWidth.columns(end)
        guard locals.count == texts.count, Set(locals).count == texts.count, room > fewestLetters else { return nil }
        let cuts = zip(texts, distinct(locals, columns: room, ellipsis: ellipsis)).map { text, local in
            let domain = String(text[text.index(after: text.lastIndex(of: "@") ?? text.startIndex)...])
            let rest = limit - DisplayWidth.columns(local) - 1
            // As much of the domain's end as fits.
            return local + "@" + (DisplayWidth.columns(domain) <= rest ? domain : ending(domain, rest, ellipsis))
        }
        return cuts.allSatisfy { DisplayWidth.columns($0) <= limit } ? cuts : nil
    }

    private static func ending(_ text: String, _ limit: Int, _ ellipsis: String) -> String {
        joined(text, head: 0, room: max(0, limit - DisplayWidth.columns(ellipsis)), ellipsis: ellipsis)
    }

    private static func windows(_ texts: [String], columns limit: Int, ellipsis: String) -> [String]? {
        let room = limit - DisplayWidth.columns(ellipsis)
        guard room > DisplayWidth.columns(ellipsis) + 1 else { return nil }
        let common = texts.dropFirst().reduce(Array(texts.first ?? "")) { common, text in
            zip(common, text).prefix { $0 == $1 }.map(\.0)
        }
        return texts.map { text in
            ellipsis + cut(String(text.dropFirst(max(0, common.count - 1))), columns: room, ellipsis: ellipsis)
        }
    }

    /// The whole domain if a few letters of the name still fit; otherwise two thirds of the space go to the head.
    private static func usualHead(_ text: String, room: Int) -> Int {
        guard let at = text.lastIndex(of: "@"), at != text.startIndex else { return (room * 2 + 2) / 3 }
        let head = room - DisplayWidth.columns(text[at...])
        return head >= fewestLetters ? head : (room + 1) / 2
    }

    private static let fewestLetters = 3

    /// - Parameters:
    ///  - head: columns kept at the start.
    ///  - room: columns of both kept parts.
    private static func joined(_ text: String, head: Int, room: Int, ellipsis: String) -> String {
        let start = DisplayWidth.prefix(text, columns: head)
        if SafeText.isPlain(text) { return start + ellipsis + text.suffix(room - head) }
        var tail = ""
        var used = 0
        for cluster in DisplayWidth.clusters(text).reversed() {
            guard used + cluster.width <= room - head else { break }
            used += cluster.width
            tail = cluster.text + tail
        }
        return start + ellipsis + tail
    }
}
