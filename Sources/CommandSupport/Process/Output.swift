import Console
import FoundationEssentials
import Glibc
package import Identity
package import StrictJSON
package import SystemPackage
import TokenCache

/// Standard output carries only the result, standard error everything else. Text and JSON come from one value, so they
/// cannot differ.
package struct Output: Sendable {
    package let json: Bool
    package let verbose: Bool
    package let isColored: Bool

    package init(json: Bool, verbose: Bool, noColor: Bool) {
        self.json = json
        self.verbose = verbose
        isColored = !noColor && isatty(STDERR_FILENO) == 1
    }

    /// For errors before the options are parsed.
    package init(arguments: [String]) { self.init(json: arguments.contains("--json"), verbose: false, noColor: true) }

    // MARK: Results

    /// Enough for a revealed token, which must not be cut.
    package static let longestLine = 1_048_576

    /// Indented on a terminal, else on one line.
    ///
    /// - Parameter done: the completed change, reported if the result cannot be written; it is not undone.
    package func result(_ value: JSONValue, done: String? = nil) {
        deliver(value.serialized(pretty: isatty(STDOUT_FILENO) == 1) + "\n", done: done)
    }

    /// An object that begins with a long list, written piece by piece unless on a terminal.
    ///
    /// - Parameter visit: passes each value of the list to its argument.
    package func result(
        _ name: String, _ others: [(String, JSONValue)] = [], listing visit: ((JSONValue) -> Void) -> Void
    ) {
        if isatty(STDOUT_FILENO) == 1 {
            var values: [JSONValue] = []
            visit { values.append($0) }
            return result(JSONValue([(name, .array(values))] + others))
        }
        var pieces = pieces
        pieces.write("{\(name.json.serialized()):[")
        var separator = ""
        visit { value in
            pieces.write(separator + value.serialized())
            separator = ","
        }
        pieces.write("]")
        for (name, value) in others { pieces.write(",\(name.json.serialized()):\(value.serialized())") }
        pieces.write("}\n")
        pieces.end()
    }

    /// A long result, written piece by piece.
    package struct Pieces {
        fileprivate let output: Output
        private var text = ""
        private static let size = 1 << 16

        fileprivate init(output: Output) { self.output = output }

        package mutating func write(_ part: String) {
            text += part
            if text.utf8.count >= Self.size { end() }
        }

        /// Writes the rest.
        package mutating func end() {
            output.deliver(text)
            text = ""
        }
    }

    /// The program's own text, unchanged.
    package var pieces: Pieces { Pieces(output: self) }

    /// The JSON with `--json`, else the lines. For `done`, see ``result(_:done:)``.
    package func result(
        _ value: @autoclosure () -> JSONValue, or lines: @autoclosure () -> [String], done: String? = nil
    ) {
        if json { result(value(), done: done) } else { self.lines(lines(), done: done) }
    }

    /// The program's own text, unchanged.
    package func text(_ text: String) { deliver(text) }

    /// Lines, cleaned for the terminal. For `done`, see ``result(_:done:)``.
    package func lines(_ lines: [String], done: String? = nil) {
        deliver(lines.map { SafeText.line($0, limit: Self.longestLine) + "\n" }.joined(), done: done)
    }

    private static let invalidToken = Failure(
        .untrustedResponse, "the token contains invalid characters", hint: "inspect it with \"foyer tokens\"")

    /// A token alone on its line; only visible ASCII is accepted.
    package func token(_ token: Secret) throws(Failure) {
        let text = token.reveal()
        guard SafeText.isPrintableToken(text) else { throw Self.invalidToken }
        deliver(text + "\n")
    }

    /// Header fields, one per line, for `curl -H @-`.
    package func fields(_ fields: [Secret]) throws(Failure) {
        let lines = fields.map { $0.reveal() }
        guard lines.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }) else { throw Self.invalidToken }
        deliver(lines.map { $0 + "\n" }.joined())
    }

    /// Exits with 1 if the result cannot be written. A full disk is reported, a closed pipe is not.
    fileprivate func deliver(_ text: String, done: String? = nil) {
        guard let error = Self.write(text, to: STDOUT_FILENO) else { return }
        if error != .brokenPipe { note("foyer: cannot write to standard output: \(error)") }
        if let done { note("foyer: \(done)") }
        leave(1)
    }

    // MARK: Progress

    package func warn(_ line: String) { event("warning", [("message", .string(line))], or: line) }

    package func note(_ line: String) { Self.write(SafeText.line(line) + "\n", to: STDERR_FILENO) }

    package func step(_ step: Step) {
        if json, verbose {
            event(
                "step",
                [
                    ("step", .string(step.name.rawValue)), ("outcome", .string(step.outcome.rawValue)),
                    ("detail", .string(step.detail)),
                ])
        } else if verbose {
            note("foyer: " + step.words)
        }
    }

    package func event(_ name: String, _ members: [(String, JSONValue)] = []) {
        let object = JSONObject(
            [JSONMember(name: "event", value: .string(name))] + members.map { JSONMember(name: $0.0, value: $0.1) })
        Self.write(JSONValue.object(object).serialized() + "\n", to: STDERR_FILENO)
    }

    package func event(_ name: String, _ members: [(String, JSONValue)], or line: String) {
        if json { event(name, members) } else { note("foyer: " + line) }
    }

    // MARK: Ends

    package func fail(_ failure: Failure) -> Never {
        tell(failure)
        leave(failure.code.exitStatus)
    }

    /// Writes the error, for a program that does not end yet.
    package func tell(_ failure: Failure) {
        if json {
            let object: JSONValue = ["error": failure.json]
            Self.write(object.serialized() + "\n", to: STDERR_FILENO)
        } else {
            for line in failure.lines { note(line) }
        }
    }

    package func leave(_ status: Int32) -> Never { exit(status) }

    /// Writes as much as possible; returns the error if that is not everything.
    @discardableResult
    package static func write(_ text: String, to file: Int32) -> Errno? { writeAll(Array(text.utf8), to: file) }
}

extension Failure {
    /// The error as text: the message, the provider's text unless it repeats the message, the next step, and the codes
    /// that an administrator needs, each only once.
    package var lines: [String] {
        let id = oauthError == nil ? nil : correlationID?.uuidString.lowercased()
        let codes = serverCodeNames
        func once(_ text: String) -> String {
            var text = text[...]
            if let id, text.lowercased().contains(id) {
                // Request ids are at the end of the text; the last line repeats them.
                let labels = ["Trace ID:", "Correlation ID:", "Timestamp:"].compactMap { text.firstRange(of: $0) }
                if let first = labels.map(\.lowerBound).min() { text = text[..<first] }
            }
            for code in codes { if let prefix = text.firstRange(of: code + ": ") { text.removeSubrange(prefix) } }
            while let last = text.last, last == " " || last == "." { text.removeLast() }
            return String(text)
        }
        let said = oauthDescription.map(once) ?? ""
        let message = once(self.message)
        let numbers = [
            codes.isEmpty ? nil : "code " + codes.joined(separator: ", "), id.map { "correlation id " + $0 },
        ].compactMap(\.self)
        return ["foyer: " + message]
            + (said.isEmpty || message.contains(said) ? [] : ["the provider says: " + said])
            + (nextStep?.lines ?? [])
            + (numbers.isEmpty ? [] : [numbers.joined(separator: ", ")])
    }

    package var json: JSONValue {
        .object(
            JSONObject([
                JSONMember(name: "code", value: .string(code.rawValue)),
                JSONMember(name: "message", value: .string(message)),
                JSONMember(name: "hint", value: (nextStep?.words).json),
                JSONMember(name: "oauthError", value: oauthError.json),
                JSONMember(name: "suberror", value: suberror.json),
                JSONMember(name: "description", value: oauthDescription.json),
                JSONMember(name: "serverCodes", value: .array(serverCodes.map { JSONValue(integer: $0) })),
                JSONMember(name: "claims", value: claims.json),
                JSONMember(name: "correlationId", value: correlationID?.uuidString.lowercased().json ?? .null),
                JSONMember(name: "grantedScopes", value: .array(grantedScopes.names.map { .string($0) })),
                JSONMember(name: "declinedScopes", value: .array(declinedScopes.names.map { .string($0) })),
            ]))
    }
}
