internal import Console
internal import Explain
internal import FoundationEssentials
internal import Identity
internal import Keys
internal import StrictJSON
internal import StrictTOML
internal import TOMLKit

@testable internal import CommandSupport
@testable internal import Terminal

extension FuzzTarget {
    /// Text that is shown can steer nothing and hide nothing.
    static let text = FuzzTarget(
        "text", longest: 1024,
        words: [
            "\u{202E}", "\u{200D}", "\u{FE0F}", "\u{1F468}", "\u{1F3FD}", "\u{20E3}", "\u{300}", "\u{1B}[2J", "\u{9B}",
            "\u{1100}", "\u{1160}", "\u{E0041}", "\u{2028}", "\u{1F1E6}", "\u{AD}", "\u{2800}",
        ]
    ) { input in
        guard let first = input.first else { return }
        let limit = Int(first) + 4
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        let line = SafeText.line(text, limit: limit)
        hold(
            line.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0.value != 0x2028 && $0.value != 0x202E
            }, "a control character is left")
        hold(line.unicodeScalars.count <= limit, "a line is longer than it may be")
        hold(SafeText.line(line, limit: limit) == line, "cleaning what is clean changes it")
        let ascii = SafeText.ascii(text, limit: limit)
        hold(ascii.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "ASCII is none")
        hold(ascii.utf8.count <= limit, "an ASCII line is longer than it may be")
        let columns = DisplayWidth.columns(line)
        hold(columns >= 0 && columns <= 2 * line.unicodeScalars.count, "an impossible width")
        for width in [1, limit / 3 + 1] {
            hold(DisplayWidth.columns(DisplayWidth.clip(line, columns: width)) <= width, "what is cut does not fit")
            hold(DisplayWidth.columns(DisplayWidth.prefix(line, columns: width)) <= width, "a prefix does not fit")
            hold(DisplayWidth.columns(DisplayWidth.pad(line, columns: width)) == width, "what is padded does not fill")
            hold(DisplayWidth.columns(MiddleTruncation.cut(line, columns: width)) <= width, "a cut does not fit")
        }
        for part in DisplayWidth.wrap(line, columns: 20) {
            hold(DisplayWidth.columns(part) <= 20, "a wrapped line does not fit")
        }
    }

    /// A token in pieces is put together first: no mutation would find base64url of valid JSON.
    static let token = FuzzTarget(
        "token", longest: 4096,
        words: [
            "alg", "none", "RS256", "typ", "JWT", "kid", "nonce", "aud", "iss", "exp", "iat", "nbf", "scp", "roles",
            "wids", "tid", "oid", "upn", "preferred_username", "appid", "azp", "idtyp", "xms_cc", "groups", "\u{0}",
            "1e308", "-1", "62e90394-69f5-4237-9190-012177145e10", "Directory.ReadWrite.All", ".",
        ]
    ) { bytes in
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let raw =
            parts.count == 2
            ? "\(Base64URL.encode(Array(parts[0]))).\(Base64URL.encode(Array(parts[1]))).c2ln"
            : String(decoding: bytes, as: UTF8.self)
        guard let token = try? DecodedJWT(Secret(raw)) else { return }
        let now = Date(timeIntervalSince1970: 1_795_233_600)
        let decoded = DecodedToken(token)
        hold(decoded.claims.count <= 450 && decoded.header.count <= 450, "a token has too many lines")
        for line in decoded.claims + decoded.header {
            let words = line.value.words { String($0.timeIntervalSince(now)) }
            _ = SafeText.line(line.name + words + (line.meaning ?? ""))
        }
        for verification in [Verification.notChecked, .right(key: "k")] {
            let verdict = TokenVerdict(decoded, verification, at: now)
            _ = verdict.words { String($0.timeIntervalSince(now)) }
            hold(verdict.findings.map(\.level).max() ?? .fine == verdict.level, "a verdict is milder than it is")
        }
        let exported = DecodedToken.exported(token)
        let limits = JSONLimits(maximumBytes: 4 * DecodedJWT.maximumLength, maximumDepth: 40)
        guard let back = try? JSONValue(parsing: Array(exported.utf8), limits: limits) else {
            fatalError("what was exported cannot be read")
        }
        hold(back["payload"]?.object?.members == token.payload.members, "what was exported says something else")
        hold(TokenDifference(from: token, to: token).isEmpty, "a token is not itself")
    }

    /// What a person writes, and what is written for them.
    static let toml = FuzzTarget("toml", longest: 2048, words: tomlWords) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let table = try? StrictTOML.read(text) { _ = table.keys }
        for line in text.split(separator: "\n", maxSplits: 3) { _ = StrictTOML.comment(ofLine: String(line)) }
        guard !text.unicodeScalars.contains("\u{0}") else { return }
        let written = "a = \(TOMLText.texts([text, "b"]).written)\n\(TOMLText.key(text)) = true # b\n"
        let isTaken = text == "a"
        do throws(TOMLProblem) {
            let table = try StrictTOML.read(isTaken ? "a = \(TOMLText.text(text).written)" : written)
            let value = isTaken ? table["a"]?.string : table["a"]?.array?.first?.string
            hold(value.map { Array($0.utf8) } == Array(text.utf8), "a text is read as another one")
            if !isTaken { hold(table[text]?.bool == true, "a key is read as another one") }
        } catch { fatalError("what is written is refused in line \(error.line): \(error.what)") }
    }

    private static let tomlWords = [
        "[a]", "[[a]]", "a.b = 1", "\"\"\"", "'''", "= {", "}", "= [", "]", "0x1F", "1979-05-27T07:32:00Z", "inf",
        "nan",
        "\\u00e9", "\\U0001F600", "#", "\r\n", "1_000", "1e10", "true", "false",
    ]

    static let theme = FuzzTarget(
        "theme", longest: 4096,
        words: tomlWords + Role.allCases.prefix(20).map(\.rawValue) + [
            "extends = \"default\"", "[palette]", "[roles]", "fg", "bg", "bold", "underline", "reverse", "dim",
            "#ff00ff", "bright-black", "name",
        ]
    ) { bytes in
        do {
            let file = try ThemeFile(bytes: bytes, path: "theme.toml")
            hold(try ThemeFile(bytes: bytes, path: "theme.toml") == file, "a theme is two themes")
            _ = Theme(name: "fuzz", layers: [.standard, file])
        } catch {
            hold(SafeText.line(String(describing: error)).utf8.count < 20_000, "an error is a long story")
        }
    }

    static let settings = FuzzTarget(
        "settings", longest: 4096,
        words: tomlWords
            + (SettingsTable.top + SettingsTable.client + SettingsTable.store + SettingsTable.agent
            + SettingsTable.agents + SettingsTable.forward).map(\.name) + [
                "[clients.work]", "[[rules]]", "[keys.accounts]", "[family]", "[agents]",
            ]
    ) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        do throws(Failure) {
            let settings = try SettingsReader(path: "settings.toml", text: text).settings()
            let again = try SettingsReader(path: "settings.toml", text: text + "\n# end\n").settings()
            hold(again.clients.map(\.name) == settings.clients.map(\.name), "a comment changes the clients")
            hold(again.theme == settings.theme, "a comment changes the theme")
            if let wanted = settings.defaultClient {
                hold(
                    settings.client(named: wanted) != nil || Client.wellKnown(wanted) != nil,
                    "the default client is nobody")
            }
        } catch {
            // A comment at the end of a text that ends within a value is part of the value.
            hold(!error.message.isEmpty && error.message.utf8.count < 20_000, "an error is a long story")
        }
    }

    /// What a terminal sends, in batches.
    static let terminal = FuzzTarget(
        "terminal", longest: 4096,
        words: [
            "\u{1B}[200~", "\u{1B}[201~", "\u{1B}[M", "\u{1B}[<0;1;1M", "\u{1B}]0;", "\u{1B}\\", "\u{1B}P",
            "\u{1B}[1;5A",
            "\u{1B}OP", "\u{9C}", "\u{7}", "\u{3}", "\u{FF}", "\u{1B}[[A", "\u{1B}[?1;2c",
        ]
    ) { bytes in
        guard let flags = bytes.first else { return }
        var decoder = InputDecoder(isUTF8: flags & 1 == 0)
        decoder.takesMouse = flags & 2 != 0
        decoder.takesFocus = flags & 4 != 0
        let scalars = Array(String(decoding: bytes.dropFirst(), as: UTF8.self).unicodeScalars)
        // U+00FF ends a batch, and U+00FE and U+00FD stand for what ncurses decodes.
        for part in scalars.split(separator: "\u{FF}") {
            let batch = part.map { scalar -> RawInput in
                switch scalar {
                case "\u{FE}": .key(.up)
                case "\u{FD}": .unknown
                default: .scalar(scalar.value)
                }
            }
            let keys = decoder.decode(batch)
            hold(keys.count <= 2 * batch.count + 8, "more keys than were pressed")
            for key in keys { check(key) }
        }
        // Whatever came before, a person can end it.
        hold(decoder.decode([.scalar(3)]).last == .control("c"), "Ctrl-C is not heard")
        hold(decoder.decode([.scalar(0x61)]) == [.character("a")], "the keyboard is lost")
    }

    private static func check(_ key: Key) {
        switch key {
        case .character(let character), .alt(let character):
            hold(character.unicodeScalars.allSatisfy { SafeText.isVisible($0) || $0 == " " }, "a key is invisible")
        case .paste(let text):
            hold(text.utf8.count <= PasteReader.longest, "a paste is larger than it may be")
            hold(
                text.unicodeScalars.allSatisfy { SafeText.isVisible($0) || $0 == " " }, "a paste has what is invisible")
        case .function(let number): hold((1...12).contains(number), "a key that no keyboard has")
        case .mouse(let event): _ = event
        default: break
        }
        _ = key.name
    }
}
