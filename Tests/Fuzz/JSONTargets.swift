internal import StrictJSON

extension FuzzTarget {
    private static let words = [
        "{}", "[]", "\":", "null", "true", "false", "\\u0000", "\\ud800", "\\udc00", "1e9", "-0", "1.0", "\u{202E}",
    ]

    /// Reading, writing, and the two readers of one text.
    static let json = FuzzTarget("json", longest: 4096, words: words) { bytes in
        let limits = JSONLimits(maximumBytes: 1 << 20, maximumDepth: 32)
        let loose = Result { try JSONOutline(bytes, limits: limits) }
        let strict = Result { try JSONOutline(bytes, limits: limits, strictly: true) }
        if case .success = strict { hold(loose.isSuccess, "what is well-formed to the last byte is not well-formed") }
        do throws(JSONError) {
            let value = try JSONValue(parsing: bytes, limits: limits)
            if value.object != nil { hold(strict.isSuccess, "the outline refuses what the reader accepts") }
            for text in [value.serialized(), value.serialized(pretty: true)] {
                hold(
                    text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" },
                    "a control character is written as it is")
                hold(
                    (try? JSONValue(parsing: Array(text.utf8), limits: limits)) == value,
                    "what is written is not read as what it was")
            }
            look(value)
        } catch {
            // Half of a surrogate pair is well-formed, and stands for no text; so is a number that no Double holds.
            let meansNothing = error.problem == .badEscape || error.problem == .badNumber
            if strict.isSuccess { hold(meansNothing, "the reader refuses what the outline accepts") }
        }
        if case .success(let outline) = strict { look(outline) }
    }

    private static func look(_ value: JSONValue) {
        if let number = value.integer, let double = value.double {
            hold(abs(double - Double(number)) <= abs(double) / 1e15, "a number is two numbers")
        }
        for value in value.array ?? [] { look(value) }
        for member in value.object?.members ?? [] { look(member.value) }
    }

    private static func look(_ outline: JSONOutline) {
        for section in outline.sections {
            _ = outline.name(of: section)
            for entry in outline.entries(of: section) {
                for field in outline.fields(of: entry) {
                    guard outline.isString(field), let text = outline.string(of: field) else { continue }
                    hold(outline.isString(field, equalTo: Array(text.utf8)), "a text does not equal itself")
                }
            }
        }
        // Nobody rewrites an object that stays as it is; an empty one would lose its white space.
        let same = outline.rewritten(JSONChanges())
        hold(same == outline.bytes || outline.sections.isEmpty, "a text without changes is another text")
    }

    /// Changes to members on each level: the others stay, in their order, and the whole can be read.
    static let jsonEdit = FuzzTarget("json-edit", longest: 4096, words: words) { input in
        guard input.count > 4 else { return }
        let choice = input.prefix(4).map { Int($0) }
        let limits = JSONLimits(maximumBytes: 1 << 20, maximumDepth: 32)
        let bytes = Array(input.dropFirst(4))
        guard let outline = try? JSONOutline(bytes, limits: limits, strictly: true),
            let before = try? JSONValue(parsing: bytes, limits: limits).object
        else { return }
        var path: [Int] = []
        var object = before
        if choice[0] & 1 != 0, !outline.sections.isEmpty {
            path.append(choice[0] / 4 % outline.sections.count)
            let section = outline.sections[path[0]]
            guard let inner = object.members[path[0]].value.object else { return }
            object = inner
            if choice[0] & 2 != 0, !inner.members.isEmpty {
                path.append(choice[3] % inner.members.count)
                guard let fields = inner.members[path[1]].value.object else { return }
                object = fields
            }
            hold(outline.isObject(section), "an object is none")
        }
        var changes = JSONChanges()
        for index in object.members.indices {
            switch (choice[1] + index * choice[2]) % 5 {
            case 0: changes.removed.insert(index)
            case 1: changes.replaced[index] = JSONValue.asciiQuoted("new \(index)")
            default: break
            }
        }
        for number in 0..<(choice[3] % 3) where object["added \(number)"] == nil {
            changes.appended.append(("added \(number)", JSONValue.asciiQuoted("value \(number)")))
        }
        var wanted = object.members.enumerated().compactMap { index, member -> JSONMember? in
            if changes.replaced[index] != nil { return JSONMember(name: member.name, value: .string("new \(index)")) }
            return changes.removed.contains(index) ? nil : member
        }
        wanted += changes.appended.enumerated().map { index, member in
            JSONMember(name: member.name, value: .string("value \(member.name.last.map(String.init) ?? "")"))
        }
        let result = rewritten(outline, path, changes)
        guard let after = try? JSONValue(parsing: result, limits: limits).object else {
            fatalError("what was changed cannot be read")
        }
        var found = after
        for place in path { found = found.members[place].value.object ?? JSONObject() }
        hold(found.members == wanted, "a change did something else")
        hold((try? JSONOutline(result, limits: limits, strictly: true)) != nil, "what was changed cannot be changed")
    }

    private static func rewritten(_ outline: JSONOutline, _ path: [Int], _ changes: JSONChanges) -> [UInt8] {
        guard let place = path.first else { return outline.rewritten(offset(changes, outline.sections)) }
        let section = outline.sections[place]
        let entries = outline.entries(of: section)
        var inner = offset(changes, entries)
        if path.count == 2 {
            let index = entries.startIndex + path[1]
            inner = JSONChanges()
            inner.replaced[index] = outline.rewritten(
                entry: entries[index], offset(changes, outline.fields(of: entries[index])))
        }
        var outer = JSONChanges()
        outer.replaced[place] = outline.rewritten(section: section, inner)
        return outline.rewritten(outer)
    }

    /// Indices of changes are those of the outline's slices.
    private static func offset(_ changes: JSONChanges, _ slice: ArraySlice<JSONOutline.Node>) -> JSONChanges {
        var moved = JSONChanges()
        for (index, value) in changes.replaced { moved.replaced[slice.startIndex + index] = value }
        moved.removed = Set(changes.removed.map { slice.startIndex + $0 })
        moved.appended = changes.appended
        return moved
    }

    /// The readers that see a text piece by piece, beside the one that sees all of it.
    static let jsonPieces = FuzzTarget("json-pieces", longest: 4096, words: words) { input in
        guard let size = input.first else { return }
        let bytes = Array(input.dropFirst())
        let limits = JSONLimits(maximumBytes: 1 << 20, maximumDepth: 32)
        let outline = try? JSONOutline(bytes, limits: limits)
        var reader = JSONEntryReader(sections: ["a", "AccessToken"], limits: limits, pieceSize: Int(size) + 1)
        var found = 0
        do {
            try reader.read(size: bytes.count) { buffer, offset throws(JSONEntryReader.NeedsFullRead) in
                let part = bytes[min(offset, bytes.count)...].prefix(buffer.count)
                buffer.copyBytes(from: part)
                return part.count
            } _: { piece throws(JSONEntryReader.NeedsFullRead) in
                let entries = piece.outline.bytes.count
                hold(Array(bytes[piece.start...].prefix(entries)) == piece.outline.bytes, "a piece is of no text")
                found += 1
            }
            hold(outline != nil, "a text is accepted in pieces that is refused as a whole")
            hold(outline?.sections.isEmpty == reader.isEmpty, "sections are lost")
        } catch {}
        var texts: [Int: [String?]] = [:]
        var rest = bytes[...]
        var walk = JSONEntryWalk(window: Int(size) * 8 + 16, names: ["a", "secret"])
        let isWhole = walk.run { buffer in
            let part = rest.prefix(buffer.count)
            buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
        } visit: { entry in
            let range = entry.offset..<(entry.offset + entry.bytes.count)
            hold(
                bytes.indices.contains(entry.offset) && range.upperBound <= bytes.count
                    && entry.bytes.elementsEqual(bytes[range]), "an entry is of no text")
            for name in 0..<2 { if let text = entry.text(name) { hold(!text.isEmpty, "an empty text is one") } }
            texts[entry.offset] = (0..<2).map { entry.text($0).map { String(decoding: $0, as: UTF8.self) } }
            return true
        }
        if isWhole, let outline {
            let all = outline.sections.flatMap { outline.entries(of: $0) }
            hold(texts.count <= all.count, "there are entries that are none")
            for entry in all {
                for (name, text) in zip(
                    ["a", "secret"] as [StaticString], texts[outline.range(of: entry).lowerBound] ?? [])
                {
                    // The walk does not decode names, so that it does not see all duplicates.
                    guard let text, let field = outline.field(name, of: entry).flatMap(outline.string(of:)) else {
                        continue
                    }
                    hold(field == text, "a field has another text")
                }
            }
        }
    }
}

extension Result {
    /// As `init(catching:)`, with the error's type.
    init(_ body: () throws(Failure) -> Success) {
        do { self = .success(try body()) } catch { self = .failure(error) }
    }

    var isSuccess: Bool { if case .success = self { true } else { false } }
}
