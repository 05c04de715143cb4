import FoundationEssentials
import Glibc
import Testing
import Themes

@testable import Terminal

@Suite struct ThemeTests {
    private func inFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/foyer-themes-\(UInt64.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
        try body(folder)
    }

    private func luminance(_ color: (red: Int, green: Int, blue: Int)) -> Double {
        func linear(_ value: Int) -> Double {
            let share = Double(value) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }

    @Test func `The usual theme is what its file says`() throws {
        let bytes = try #require(BundledThemes.file("default"))
        #expect(ThemeFile.standard == (try ThemeFile(bytes: bytes, path: "default.toml")))
    }

    @Test func `A file that has changed since it was read is read anew`() throws {
        try inFolder(["mine.toml": "[roles]\ntext = { bold = true }\n"]) { folder in
            func isBold() throws -> Bool { try Theme.load(name: "mine", searchPath: [folder])[.text].bold }
            #expect(try isBold())
            #expect(try isBold())
            try Data("[roles]\ntext = { bold = false }\n".utf8).write(to: URL(filePath: folder + "/mine.toml"))
            #expect(try !isBold())
        }
    }

    @Test(arguments: Theme.bundledNames)
    func `A bundled theme names every role, and its text is readable at 4.5 to 1`(name: String) throws {
        let file = try #require(try ThemeFile.layers(name: name, searchPath: []).first)
        #expect(Set(file.roles.map(\.role)) == Set(Role.allCases))
        let theme = try Theme.load(name: name)
        let ruled: Set<Role> = [.border, .borderFocus, .barFull, .barEmpty]
        for role in Role.allCases where !ruled.contains(role) {
            guard let front = theme[role].foreground.components, let back = theme[role].background.components else {
                continue
            }
            #expect(ratio(front, back) >= 4.5, "\(role)")
        }
        for role in Role.allCases where !ruled.contains(role) {
            let look = theme.selected(role, canFill: true)
            guard let front = look.foreground.components, let back = look.background.components else { continue }
            #expect(ratio(front, back) >= 4.5, "\(role) in the selected row")
        }
    }

    private typealias Components = (red: Int, green: Int, blue: Int)

    private func ratio(_ front: Components, _ back: Components) -> Double {
        let (one, other) = (luminance(front), luminance(back))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    @Test func `What has a colour keeps it in the selected row, where the terminal can show the row's ground`() throws {
        let theme = try Theme.load(name: "default")
        let danger = theme.selected(.danger, canFill: true)
        #expect(danger.foreground == .indexed(210) && danger.background == theme[.selection].background && danger.bold)
        let text = theme.selected(.muted, canFill: true)
        #expect(text == theme[.selection])
        let few = theme.selected(.danger, canFill: false)
        #expect(few.reverse && few.bold && few.foreground == .terminal && few.background == .terminal)
        #expect(Theme.monochrome.selected(.danger, canFill: true).reverse)
    }

    /// Machado, Oliveira and Fernandes 2009, severity 1.0: what is left of linear red, green and blue.
    @Test(arguments: [
        ("protanopia", [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998]),
        ("deuteranopia", [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881]),
    ])
    func `In the theme for colour blindness good, attention and danger stay apart`(kind: String, matrix: [Double])
        throws
    {
        let theme = try Theme.load(name: "colour-blind")
        func seen(_ role: Role) throws -> [Double] {
            let color = try #require(theme[role].foreground.components)
            let linear = [color.red, color.green, color.blue].map { pow(Double($0) / 255, 2.2) }
            return (0..<3).map { row in
                let light = (0..<3).reduce(0.0) { $0 + matrix[row * 3 + $1] * linear[$1] }
                return pow(min(max(light, 0), 1), 1 / 2.2) * 255
            }
        }
        for (one, other) in [(Role.ok, Role.danger), (.ok, .attention), (.attention, .danger)] {
            let (left, right) = (try seen(one), try seen(other))
            let distance = (0..<3).reduce(0.0) { $0 + pow(left[$1] - right[$1], 2) }.squareRoot()
            #expect(distance >= 60, "\(one) and \(other): \(distance)")
        }
    }

    @Test func `The default theme keeps the terminal's own background outside the selected row`() throws {
        let theme = try Theme.load(name: "default")
        for role in Role.allCases where role != .qr && role != .selection {
            #expect(theme[role].background == .terminal, "\(role)")
        }
        for role in Role.allCases {
            #expect(Theme.monochrome[role].foreground == .terminal)
            #expect(Theme.monochrome[role].background == .terminal)
        }
    }

    @Test func `A file of one line changes one thing of the theme it extends`() throws {
        try inFolder([
            "mine.toml": "extends = \"nord\"\n[palette]\nleaf = \"#00ff00\"\n[roles]\nok = { fg = \"leaf\" }\n",
            "default.toml": "extends = \"default\"\n[roles]\ntitle = 200\n",
        ]) { folder in
            let mine = try Theme.load(name: "mine", searchPath: ["/nonexistent", folder])
            let nord = try Theme.load(name: "nord", searchPath: [folder])
            #expect(mine[.ok].foreground == .rgb(red: 0, green: 255, blue: 0))
            #expect(mine[.ok].background == nord[.ok].background)
            #expect(mine[.danger] == nord[.danger])
            let own = try Theme.load(name: "default", searchPath: [folder])
            #expect(own[.title].foreground == .indexed(200))
            #expect(own[.danger].bold)
        }
    }

    @Test func `An error names the file, the line and the role, and repeats nothing but the word`() throws {
        try inFolder([
            "role.toml": "[roles]\ntext = \"red\"\ntitel = \"red\"\n",
            "color.toml": "[roles]\n\ntext = { fg = \"red\\u001b[2J\" }\n",
            "top.toml": "# x\ncolour = 1\n", "toml.toml": "root:x:0:0:root:/root:/bin/bash\n",
            "kind.toml": "[roles]\ntext = { bold = 3 }\n",
            "big.toml": String(repeating: "#", count: 70_000), "loop.toml": "extends = \"pool\"\n",
            "pool.toml": "extends = \"loop\"\n",
            "up.toml": "extends = \"../../etc/passwd\"\n", "nul.toml": "a = 1\u{0}\n",
        ]) { folder in
            func error(_ name: String) -> ThemeError? {
                do {
                    _ = try Theme.load(name: name, searchPath: [folder])
                    return nil
                } catch { return error }
            }
            #expect(error("role") == .unknownRole(file: "\(folder)/role.toml", line: 3, role: "titel"))
            #expect(
                error("color")
                    == .unknownColor(file: "\(folder)/color.toml", line: 3, role: "text", value: "red\u{1B}[2J"))
            #expect(error("color")?.message.contains("\u{1B}") == false)
            #expect(error("top") == .unknownSetting(file: "\(folder)/top.toml", line: 2, name: "colour"))
            #expect(error("toml") == .notTOML(file: "\(folder)/toml.toml", line: 1))
            #expect(error("toml")?.message.contains("bash") == false)
            #expect(error("kind") == .wrongValue(file: "\(folder)/kind.toml", line: 2, role: "text"))
            #expect(error("big") == .tooLarge(file: "\(folder)/big.toml"))
            #expect(error("nul") == .notText(file: "\(folder)/nul.toml"))
            #expect(error("up") == .unusableName("../../etc/passwd"))
            #expect(error("none") == .notFound("none"))
            for name in ["loop", "pool"] {
                guard case .extendsTooDeep? = error(name) else {
                    Issue.record("\(name) was read")
                    continue
                }
            }
        }
    }

    @Test func `A pipe, a device and a folder are not read`() throws {
        try inFolder([:]) { folder in
            try #require(mkfifo("\(folder)/pipe.toml", 0o600) == 0)
            try #require(symlink("/dev/zero", "\(folder)/zero.toml") == 0)
            try #require(mkdir("\(folder)/folder.toml", 0o700) == 0)
            for name in ["pipe", "zero", "folder"] {
                #expect(throws: ThemeError.notAFile(file: "\(folder)/\(name).toml")) {
                    try Theme.load(name: name, searchPath: [folder])
                }
            }
        }
    }

    @Test func `Colours are data in one of four forms`() {
        #expect(Color("default") == .terminal)
        #expect(Color("bright-blue") == .indexed(12))
        #expect(Color("0") == .indexed(0))
        #expect(Color("255") == .indexed(255))
        #expect(Color("#FF8000") == .rgb(red: 255, green: 128, blue: 0))
        for text in ["", "256", "-1", "+1", "#fff", "#gggggg", "#+12345", "Blue", "\u{1B}[31m", "#12345é"] {
            #expect(Color(text) == nil, "\(text)")
        }
    }

    @Test func `A colour is brought down to what the terminal has`() throws {
        let orange = try #require(Color("#ff8700"))
        #expect(orange.reduced(to: .direct).number == 0xFF8700)
        #expect(orange.reduced(to: .palette).number == 208)
        #expect((0..<16).contains(orange.reduced(to: .sixteen).number))
        #expect((0..<8).contains(orange.reduced(to: .eight).number))
        #expect(orange.reduced(to: .none).number == -1)
        #expect(Color.indexed(12).reduced(to: .eight) == ReducedColor(number: 4, bold: true))
        #expect(Color.indexed(8).reduced(to: .eight) == ReducedColor(number: -1, bold: false))
        #expect(
            [0, 8, 16, 88, 256, 0x100_0000].map(ColorDepth.init(colors:)) == [
                .none, .eight, .sixteen, .sixteen, .palette, .direct,
            ])
    }

    @Test func `A theme that somebody else could have written is refused, and so is one that it extends`() throws {
        try inFolder(["mine.toml": "extends = \"base\"\n", "base.toml": "roles = { text = \"red\" }\n"]) { folder in
            #expect(throws: ThemeError.notTrusted(file: "\(folder)/base.toml", why: "not yours")) {
                try Theme.load(name: "mine", searchPath: [folder]) { $0.hasSuffix("base.toml") ? "not yours" : nil }
            }
            _ = try Theme.load(name: "mine", searchPath: [folder]) { _ in nil }
        }
    }
}
