package struct JSONLayout: Hashable, Sendable {
    /// One indentation step; nil if everything is on one line.
    package var indent: [UInt8]?
    package var colon: [UInt8]

    /// Multiple lines, indented by four spaces.
    package static let pretty = JSONLayout(indent: Array("    ".utf8), colon: Array(": ".utf8))

    func gap(level: Int, isFirst: Bool) -> [UInt8] {
        guard let indent else { return isFirst || colon.count < 2 ? [] : [UInt8(ascii: " ")] }
        return [UInt8(ascii: "\n")] + Array(repeating: indent, count: level).joined()
    }

    /// An object of strings, as a member's value.
    ///
    /// - Parameter level: nesting level of the object's members; 1 at the top of the text.
    package func object(_ members: [(name: String, value: [UInt8])], level: Int) -> [UInt8] {
        guard !members.isEmpty else { return Array("{}".utf8) }
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += gap(level: level, isFirst: index == 0)
            text += JSONValue.asciiQuoted(member.name) + colon + member.value
        }
        if indent != nil { text += gap(level: level - 1, isFirst: true) }
        text.append(UInt8(ascii: "}"))
        return text
    }
}

/// Changes to the members of an object, by index into the slices of ``JSONOutline``.
package struct JSONChanges: Sendable {
    package var replaced: [Int: [UInt8]] = [:]
    package var removed: Set<Int> = []
    /// Members to append in this order; their names must be new.
    package var appended: [(name: String, value: [UInt8])] = []

    package init() {}
    package var isEmpty: Bool { replaced.isEmpty && removed.isEmpty && appended.isEmpty }
}

extension JSONOutline {
    /// The text's layout, or ``JSONLayout/pretty`` if unclear.
    package var layout: JSONLayout {
        guard let section = first.first else { return .pretty }
        let gap = bytes[(root.lowerBound + 1)..<(Int(section.nameStart) - 1)]
        let colon = Array(bytes[(Int(section.nameEnd) + 1)..<Int(section.valueStart)])
        guard let newline = gap.lastIndex(of: UInt8(ascii: "\n")) else { return JSONLayout(indent: nil, colon: colon) }
        return JSONLayout(indent: Array(gap[(newline + 1)...]), colon: colon)
    }

    package func rewritten(_ changes: JSONChanges) -> [UInt8] {
        var text = Array(bytes[..<root.lowerBound])
        rewrite(root, sections, changes, level: 1, into: &text)
        text += bytes[root.upperBound...]
        return text
    }

    package func rewritten(section: Node, _ changes: JSONChanges) -> [UInt8] {
        var text: [UInt8] = []
        rewrite(Int(section.valueStart)..<Int(section.valueEnd), entries(of: section), changes, level: 2, into: &text)
        return text
    }

    package func rewritten(entry: Node, _ changes: JSONChanges) -> [UInt8] {
        var text: [UInt8] = []
        rewrite(Int(entry.valueStart)..<Int(entry.valueEnd), fields(of: entry), changes, level: 3, into: &text)
        return text
    }

    /// Copies runs of unchanged members together with their commas and white space.
    private func rewrite(
        _ object: Range<Int>, _ members: ArraySlice<Node>, _ changes: JSONChanges, level: Int, into text: inout [UInt8]
    ) {
        let layout = layout
        text.reserveCapacity(text.count + object.count + 4096)
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        func separate(_ text: inout [UInt8]) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
        }
        var stretch: Range<Int>?
        var start = object.lowerBound + 1
        for index in members.indices {
            let member = members[index]
            let end = Int(member.valueEnd)
            let comma = index + 1 < members.endIndex ? self.comma(after: end) : end
            let value = changes.replaced[index]
            if value == nil, !changes.removed.contains(index) {
                stretch = (stretch?.lowerBound ?? start)..<comma
            } else {
                if let kept = stretch {
                    separate(&text)
                    text += bytes[kept]
                    stretch = nil
                }
                if let value {
                    separate(&text)
                    text += bytes[start..<Int(member.valueStart)] + value + bytes[end..<comma]
                }
            }
            start = comma + 1
        }
        if let kept = stretch {
            separate(&text)
            text += bytes[kept]
        }
        for member in changes.appended {
            let gap = layout.gap(level: level, isFirst: isFirst)
            separate(&text)
            text += gap + JSONValue.asciiQuoted(member.name) + layout.colon + member.value
        }
        if !isFirst {
            if let last = members.last {
                text += bytes[Int(last.valueEnd)..<(object.upperBound - 1)]
            } else if layout.indent != nil {
                text += layout.gap(level: level - 1, isFirst: true)
            }
        }
        text.append(UInt8(ascii: "}"))
    }

    /// The outline has checked that members are separated by white space and one comma.
    private func comma(after end: Int) -> Int { bytes[end...].firstIndex(of: UInt8(ascii: ",")) ?? end }
}

extension JSONValue {
    /// The string as JSON in printable ASCII, which every reader of a token cache supports.
    package static func asciiQuoted(_ text: String) -> [UInt8] {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x5C: quoted += [UInt8(ascii: "\\"), UInt8(truncatingIfNeeded: unit)]
            case 0x20...0x7E: quoted.append(UInt8(truncatingIfNeeded: unit))
            default:
                let digits = String(unit, radix: 16)
                quoted += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
            }
        }
        quoted.append(UInt8(ascii: "\""))
        return quoted
    }
}
