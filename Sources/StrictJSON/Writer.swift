extension JSONValue {
    /// The value as JSON. Characters that could move the cursor or change the text direction are escaped, so it is safe
    /// to print in a terminal.
    ///
    /// - Parameter pretty: multiple lines, indented by four spaces.
    package func serialized(pretty: Bool = false) -> String {
        var text = ""
        write(into: &text, indent: pretty ? 0 : nil)
        return text
    }

    private func write(into text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let number): text += number.text
        case .string(let string): Self.write(string, into: &text)
        case .array(let values):
            Self.write(values, "[", "]", into: &text, indent: indent) { value, text, indent in
                value.write(into: &text, indent: indent)
            }
        case .object(let object):
            Self.write(object.members, "{", "}", into: &text, indent: indent) { member, text, indent in
                Self.write(member.name, into: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(into: &text, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], _ open: String, _ close: String, into text: inout String, indent: Int?,
        element write: (Element, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + 4 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: " ", count: inner) }
            write(element, &text, inner)
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: " ", count: indent) }
        text += close
    }

    private static func write(_ string: String, into text: inout String) {
        text += "\""
        if string.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            text += string
            text += "\""
            return
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                if needsEscape(scalar) { escape(scalar, into: &text) } else { text.unicodeScalars.append(scalar) }
            }
        }
        text += "\""
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return true
        default: return false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar, into text: inout String) {
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}
