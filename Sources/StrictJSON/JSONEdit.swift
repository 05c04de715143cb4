/// How a text is laid out, so that what is added looks like what its writer writes.
package struct JSONLayout: Hashable, Sendable {
    /// One step of indentation, or nil when everything stands on one line.
    package var indent: [UInt8]?
    /// What stands between a name and its value.
    package var colon: [UInt8]

    /// Over several lines, indented by four spaces.
    package static let pretty = JSONLayout(indent: Array("    ".utf8), colon: Array(": ".utf8))

    /// What stands before a member, after the brace or the comma.
    func gap(level: Int, isFirst: Bool) -> [UInt8] {
        guard let indent else { return isFirst || colon.count < 2 ? [] : [UInt8(ascii: " ")] }
        return [UInt8(ascii: "\n")] + Array(repeating: indent, count: level).joined()
    }

    /// An object of strings, as the value of a member.
    ///
    /// - Parameter level: how deep the object's members stand; 1 for those of the text itself.
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

/// What is to become of the members of one object. Indices are those of ``JSONOutline``'s slices.
package struct JSONChanges: Sendable {
    /// New values, as JSON text.
    package var replaced: [Int: [UInt8]] = [:]
    package var removed: Set<Int> = []
    /// Members that come after the others, in this order; their names must not be there yet.
    package var appended: [(name: String, value: [UInt8])] = []

    package init() {}
    package var isEmpty: Bool { replaced.isEmpty && removed.isEmpty && appended.isEmpty }
}

extension JSONOutline {
    /// The layout of the text; the pretty one when it shows none.
    package var layout: JSONLayout {
        guard let section = first.first else { return .pretty }
        let gap = bytes[(root.lowerBound + 1)..<(Int(section.nameStart) - 1)]
        let colon = Array(bytes[(Int(section.nameEnd) + 1)..<Int(section.valueStart)])
        guard let newline = gap.lastIndex(of: UInt8(ascii: "\n")) else { return JSONLayout(indent: nil, colon: colon) }
        return JSONLayout(indent: Array(gap[(newline + 1)...]), colon: colon)
    }

    /// The text with changes to its sections.
    package func rewritten(_ changes: JSONChanges) -> [UInt8] {
        var text = Array(bytes[..<root.lowerBound])
        rewrite(root, sections, changes, level: 1, into: &text)
        text += bytes[root.upperBound...]
        return text
    }

    /// A section's value with changes to its entries.
    package func rewritten(section: Node, _ changes: JSONChanges) -> [UInt8] {
        var text: [UInt8] = []
        rewrite(Int(section.valueStart)..<Int(section.valueEnd), entries(of: section), changes, level: 2, into: &text)
        return text
    }

    /// An entry's value with changes to its fields.
    package func rewritten(entry: Node, _ changes: JSONChanges) -> [UInt8] {
        var text: [UInt8] = []
        rewrite(Int(entry.valueStart)..<Int(entry.valueEnd), fields(of: entry), changes, level: 3, into: &text)
        return text
    }

    /// Members that stay are copied in stretches, with the commas and the white space between them.
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

    /// Between two members there is white space and one comma: the outline has seen to that.
    private func comma(after end: Int) -> Int { bytes[end...].firstIndex(of: UInt8(ascii: ",")) ?? end }
}

extension JSONValue {
    /// The text as a JSON string of visible ASCII, which every reader of a cache understands.
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
