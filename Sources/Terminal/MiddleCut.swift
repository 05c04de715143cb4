import Console

/// Names cut to a width so that a reader still tells them apart: the beginning and the end stay, and of an address its
/// domain.
package enum MiddleCut {
    /// `giovanni.lindqvist@contoso.com` as `giovann…@contoso.com`; a text that fits is as it is.
    package static func cut(_ text: String, columns limit: Int, ellipsis: String = "…") -> String {
        guard DisplayWidth.columns(text) > limit else { return text }
        let room = limit - DisplayWidth.columns(ellipsis)
        guard room > 1 else { return DisplayWidth.prefix(text, columns: limit) }
        return joined(text, head: usualHead(text, room: room), room: room, ellipsis: ellipsis)
    }

    /// Each text cut, and no two different ones to the same: where the usual place would do that, another part of them
    /// stays. A text that no cut tells from another is whole, and longer than the limit.
    ///
    /// - Parameter keepsEnd: else what is cut is cut at its end, as a list of names is.
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

    /// The first cut for all texts alike that tells them apart: without the domains, where the names before them
    /// differ; with some length of the head, the longest first; or from where they begin to differ.
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

    /// Of one text, with every length of the head, the longest first.
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
            // As much of the domain's end as there is room for.
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

    /// All of the domain, where that leaves at least a few letters of the name; else two thirds of the room.
    private static func usualHead(_ text: String, room: Int) -> Int {
        guard let at = text.lastIndex(of: "@"), at != text.startIndex else { return (room * 2 + 2) / 3 }
        let head = room - DisplayWidth.columns(text[at...])
        return head >= fewestLetters ? head : (room + 1) / 2
    }

    private static let fewestLetters = 3

    /// - Parameters:
    ///   - head: the columns that stay of the beginning.
    ///   - room: the columns of both parts that stay.
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
