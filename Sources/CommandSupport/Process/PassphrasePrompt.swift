import Console
import Glibc
package import Identity
import SystemPackage
package import TokenCache

/// Prompts for the passphrase of an `encrypted:` store: on the controlling terminal, even if standard input is
/// redirected, or else with pinentry. Never from an option or the environment, which other programs can see.
package final class PassphrasePrompt: Sendable {
    private let environment: ProcessEnvironment
    /// False for calls that must not prompt, and while the interface is shown.
    private let isOpen: AtomicFlag

    package init(_ environment: ProcessEnvironment, isOpen: Bool) {
        self.environment = environment
        self.isOpen = AtomicFlag(isOpen)
    }

    package func close() { isOpen.value = false }

    package func answer(_ question: PassphraseQuestion) throws(StoreError) -> Secret {
        guard isOpen.value else {
            throw StoreError(.passphraseNeeded(why: "prompts are disabled"), path: question.path)
        }
        if let terminal = ControllingTerminal() { return try Self.ask(question, at: terminal) }
        if environment.hasDisplay, let pinentry = environment.program("pinentry") {
            return try Pinentry(program: pinentry).ask(question)
        }
        throw StoreError(.passphraseNeeded(why: "no terminal for the prompt"), path: question.path)
    }

    private static func ask(_ question: PassphraseQuestion, at terminal: borrowing ControllingTerminal)
        throws(StoreError)
        -> Secret
    {
        let path = SafeText.line(question.path)
        func line(_ prompt: String) throws(StoreError) -> Secret {
            guard let answer = terminal.secret(prompt) else { throw StoreError(.cancelled, path: question.path) }
            return answer
        }
        switch question.purpose {
        case .open:
            if question.isRepeated { terminal.say("wrong passphrase") }
            return try line("Passphrase of \(path): ")
        case .choose:
            for _ in 0..<3 {
                let first = try line("New passphrase for \(path): ")
                guard !first.isEmpty else {
                    terminal.say("the passphrase must not be empty")
                    continue
                }
                if try line("Repeat it: ").isEqual(constantTime: first) { return first }
                terminal.say("the passphrases do not match")
            }
            throw StoreError(.cancelled, path: question.path)
        }
    }
}

extension Failure {
    /// The error for a new store if no passphrase could be chosen; nothing has been created yet.
    package static func of(_ error: StoreError, creating path: String) -> Failure {
        guard case .passphraseNeeded(let why) = error.situation, error.path == path else { return Failure(error) }
        return Failure(
            .storeError, "a passphrase is needed to create \(path): \(why)",
            hint: .text(
                "run it in a terminal, or use no passphrase: foyer store move --systemd-creds --to "
                    + "encrypted:\(path)".shellWord))
    }
}

/// The controlling terminal, read without echo. Unavailable in the background, where a read would stop the process.
package struct ControllingTerminal: ~Copyable {
    private let file: Int32
    /// Bytes of an input; more are ignored.
    package static let longest = 1024

    package init?() {
        let opened = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard opened >= 0 else { return nil }
        guard tcgetpgrp(opened) == getpgrp() else {
            Glibc.close(opened)
            return nil
        }
        file = opened
    }

    deinit { Glibc.close(file) }

    package func say(_ line: String) { Output.write(line + "\n", to: file) }

    /// A line typed with echo; nil at Ctrl-D or after five minutes without input. Ctrl-C ends the program.
    package func line(_ prompt: String) -> String? {
        tcflush(file, TCIFLUSH)
        Output.write(prompt, to: file)
        var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
        guard uninterrupted({ poll(&waiting, 1, 300_000) }) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        let count = uninterrupted { read(file, &bytes, bytes.count) }
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// The input up to Enter, without echo; nil if cancelled (Ctrl-C, Ctrl-D, a signal that ends the program).
    package func secret(_ prompt: String) -> Secret? {
        var before = termios()
        guard tcgetattr(file, &before) == 0 else { return nil }
        var quiet = before
        // Raw input without signals: Ctrl-C must not end the program with echo still off.
        quiet.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        let isGivenUp = AtomicFlag(false)
        let watch = Interrupt.watch { _ in isGivenUp.value = true }
        return PlainInput.withoutReading {
            // TCSAFLUSH discards input that was typed before the prompt.
            tcsetattr(file, TCSAFLUSH, &quiet)
            Output.write(prompt, to: file)
            defer {
                tcsetattr(file, TCSAFLUSH, &before)
                watch.cancel()
                Output.write("\n", to: file)
            }
            return line { isGivenUp.value }
        }
    }

    private func line(_ isGivenUp: () -> Bool) -> Secret? {
        var typed: [UInt8] = []
        defer {
            typed.withUnsafeMutableBytes { room in if let start = room.baseAddress { explicit_bzero(start, room.count) }
            }
        }
        while !isGivenUp() {
            var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 200) > 0 else { continue }
            var byte: UInt8 = 0
            let count = read(file, &byte, 1)
            if count < 0, Errno.last == .interrupted { continue }
            guard count == 1 else { return nil }
            switch byte {
            case 0x0A, 0x0D: return Secret(String(decoding: typed, as: UTF8.self))
            case 0x03: return nil
            case 0x04: if typed.isEmpty { return nil }
            case 0x15: typed = []
            case 0x08, 0x7F:
                // Deletes a whole UTF-8 character.
                while let last = typed.popLast(), last & 0xC0 == 0x80 {}
            default: if byte >= 0x20, typed.count < Self.longest { typed.append(byte) }
            }
        }
        return nil
    }
}
