import Console
import Glibc
package import Identity
package import TokenCache

/// A pinentry program, spoken to in the Assuan protocol: percent-escaped lines of at most 1,000 bytes. Lines that begin
/// with `D` carry data.
package struct Pinentry: Sendable {
    package let program: String

    package init(program: String) { self.program = program }

    /// How long the window waits for the user.
    private static let limit: Duration = .seconds(300)
    private static let mostOutput = 16_384

    package func ask(_ question: PassphraseQuestion) throws(StoreError) -> Secret {
        var commands = ["SETTITLE foyer", "SETPROMPT Passphrase:"]
        let path = SafeText.line(question.path, limit: 300)
        switch question.purpose {
        case .open: commands.append("SETDESC " + Self.escaped("Passphrase of \(path)"))
        case .choose: commands += ["SETDESC " + Self.escaped("New passphrase for \(path)"), "SETREPEAT Again:"]
        }
        if question.isRepeated { commands.append("SETERROR " + Self.escaped("Wrong passphrase")) }
        commands += ["GETPIN", "BYE"]
        let input = Array(commands.map { $0 + "\n" }.joined().utf8)
        switch ChildProcess.run(program, [], input: input, mostOutput: Self.mostOutput, limit: Self.limit) {
        case .exited(_, let output):
            guard let answer = Self.answer(in: output) else { throw StoreError(.cancelled, path: question.path) }
            return answer
        case .timedOut: throw StoreError(.cancelled, path: question.path)
        case .notStarted:
            throw StoreError(.passphraseNeeded(why: "\(SafeText.line(program)) cannot be started"), path: question.path)
        }
    }

    /// Asks a yes/no question.
    ///
    /// - Parameters:
    ///   - display: the X display for the window; nil for this process's own.
    ///   - isWanted: the window closes once this is false.
    /// - Returns: nil if the window could not be shown, or closed without a reply.
    package func confirms(
        _ lines: [String], yes: String, no: String, display: String?, while isWanted: () -> Bool
    ) -> Bool? {
        let text = lines.map { SafeText.line($0, limit: 300) }.joined(separator: "\n")
        let commands = [
            "SETTITLE foyer", "SETDESC " + Self.escaped(text), "SETOK " + Self.escaped(yes),
            "SETCANCEL " + Self.escaped(no), "CONFIRM", "BYE",
        ]
        let input = Array(commands.map { $0 + "\n" }.joined().utf8)
        let arguments = display.map { ["--display", $0] } ?? []
        let end = ChildProcess.run(
            program, arguments, input: input, mostOutput: Self.mostOutput, limit: Self.limit, while: isWanted)
        guard case .exited(0, let output) = end else { return nil }
        return Self.verdict(in: output)
    }

    /// The reply to CONFIRM, the last command but one: OK, or an error for "no" (libgpg-error 114) or a closed window
    /// (99). Nil for any other error.
    package static func verdict(in output: [UInt8]) -> Bool? {
        let lines = output.split(separator: 0x0A).map { String(decoding: $0.prefix(1000), as: UTF8.self) }
        let answers = lines.filter { $0 == "OK" || $0.hasPrefix("OK ") || $0.hasPrefix("ERR ") }
        // The greeting, four SET commands, CONFIRM and BYE; a pinentry may exit without a reply to BYE.
        guard answers.count >= 6 else { return nil }
        let answer = answers[5]
        if answer.hasPrefix("OK") { return true }
        // The low 16 bits are the error code; the rest is its source.
        guard let code = answer.split(separator: " ").dropFirst().first.flatMap({ UInt32($0) }) else { return nil }
        return [99, 114].contains(code & 0xFFFF) ? false : nil
    }

    /// The passphrase; nil if the user cancelled or the output is invalid. An empty passphrase is an OK without data,
    /// like the reply to any other command, and counts as cancelled.
    package static func answer(in output: [UInt8]) -> Secret? {
        var data: [UInt8]?
        for line in output.split(separator: 0x0A) where line.count <= 1000 && line.starts(with: [0x44, 0x20]) {
            guard let part = unescaped(line.dropFirst(2)) else { return nil }
            data = (data ?? []) + part
        }
        return data.flatMap { String(validating: $0, as: UTF8.self) }.map { Secret($0) }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { escaped, byte in
            if byte < 0x20 || byte == 0x25 || byte >= 0x7F {
                escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            } else {
                escaped.unicodeScalars.append(UnicodeScalar(byte))
            }
        }
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var plain: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                plain.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return nil
            }
            plain.append(value)
            rest = rest.dropFirst(2)
        }
        return plain
    }
}
