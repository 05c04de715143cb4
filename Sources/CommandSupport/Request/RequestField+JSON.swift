package import Identity
package import StrictJSON

// The members of a request as an object, for other processes and for files: those of the table that may go so far.

extension RequestField {
    private static let mostTexts = 256
    /// Bytes of one text; a claims request is the longest.
    private static let longestText = 16_384
    private static let milliseconds: ClosedRange<Int64> = 100...600_000

    private static func crossing(_ reach: Reach) -> [RequestField] {
        all.filter { $0.name != nil && $0.reach >= reach }
    }

    /// What is set of a request, but for what may not go so far.
    package static func members(of options: TokenOptions, _ reach: Reach) -> [JSONMember] {
        crossing(reach).compactMap { field in
            field.json(options).map { JSONMember(name: field.name ?? "", value: $0) }
        }
    }

    /// Reads a member of an object.
    ///
    /// - Returns: false for one that is none of a request's, or may not come so far.
    /// - Throws: `usage` for a value that cannot be.
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
        // How a person is asked stays where the person is.
        case .number, .method, .prompt, .responseMode: throw wrong(member)
        }
        return true
    }

    /// Whether anything was said of it.
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

    /// What is said of it, where that is text.
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
        // The name is bounded by the line, and no secret of ours.
        Failure(.usage, "the request has a member that is not understood: \(member.name.prefix(40))")
    }
}
