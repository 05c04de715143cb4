package import Identity
package import StrictJSON

// Requests as JSON objects, for other processes and for files, limited to members that may be sent that far.

extension RequestField {
    private static let mostTexts = 256
    /// Bytes of a string; a claims request is the longest.
    private static let longestText = 16_384
    private static let milliseconds: ClosedRange<Int64> = 100...600_000

    private static func crossing(_ reach: Reach) -> [RequestField] {
        all.filter { $0.name != nil && $0.reach >= reach }
    }

    /// The set members that may be sent that far.
    package static func members(of options: TokenOptions, _ reach: Reach) -> [JSONMember] {
        crossing(reach).compactMap { field in
            field.json(options).map { JSONMember(name: field.name ?? "", value: $0) }
        }
    }

    /// - Returns: false for an unknown member, or one that may not be sent that far.
    /// - Throws: `usage` for an invalid value.
    package static func read(
        _ member: JSONMember, _ reach: Reach, into options: inout TokenOptions
    ) throws(Failure) -> Bool {
        guard let field = crossing(reach).first(where: { $0.name == member.name }) else { return false }
        switch field.member {
        case .text(let path): options[path] = try text(member)
        case .texts(let path):
            guard let texts = member.value.array, texts.count <= mostTexts else { throw wrong(member) }
            for value in texts { options[path].append(try text(JSONMember(name: member.name, value: value))) }
        case .flag(let path):
            guard let flag = member.value.bool else { throw wrong(member) }
            options[path] = flag
        case .seconds(let path):
            guard let time = member.value.integer, milliseconds.contains(time) else { throw wrong(member) }
            options[path] = Double(time) / 1000
        // Prompts belong to the user's own process.
        case .number, .method, .prompt, .responseMode: throw wrong(member)
        }
        return true
    }

    package func isSet(in options: TokenOptions) -> Bool {
        switch member {
        case .text(let path): options[path] != nil
        case .texts(let path): !options[path].isEmpty
        case .flag(let path): options[path]
        case .seconds(let path): options[path] != nil
        case .number(let path): options[path] != nil
        case .method(let path): options[path] != nil
        case .prompt(let path): options[path] != nil
        case .responseMode(let path): options[path] != nil
        }
    }

    package var isRepeatable: Bool { if case .texts = member { true } else { false } }

    package func texts(of options: TokenOptions) -> [String] {
        switch member {
        case .text(let path): options[path].map { [$0] } ?? []
        case .texts(let path): options[path]
        case .flag, .seconds, .number, .method, .prompt, .responseMode: []
        }
    }

    private func json(_ options: TokenOptions) -> JSONValue? {
        switch member {
        case .text(let path): options[path]?.json
        case .texts(let path): options[path].isEmpty ? nil : .array(options[path].map(\.json))
        case .flag(let path): options[path] ? true : nil
        case .seconds(let path): options[path].map { JSONValue(integer: Int64(($0 * 1000).rounded())) }
        case .number, .method, .prompt, .responseMode: nil
        }
    }

    static func text(_ member: JSONMember) throws(Failure) -> String {
        guard let text = member.value.string, text.utf8.count <= longestText, !text.utf8.contains(0) else {
            throw wrong(member)
        }
        return text
    }

    static func wrong(_ member: JSONMember) -> Failure {
        // A member's name is not one of our secrets.
        Failure(.usage, "unknown or invalid member: \(member.name.prefix(40))")
    }
}
