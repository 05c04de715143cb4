import Foundation
import Testing

/// The articles name symbols of the library, and a name that is gone misleads whoever looks for it.
@Suite struct DocumentationTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        .standardized
    private static let catalogue = sources.appending(path: "SilentFirst/SilentFirst.docc")

    private static func files(_ folder: URL, _ ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).filter {
            $0.pathExtension == ending
        }
    }

    /// Where the library's public symbols are declared.
    private static let targets = ["SilentFirst", "Identity", "Explain"]

    @Test(arguments: ["SilentFirst", "ComingFromMSAL", "UserAgentsAndSingleSignOn", "ErrorsAndThrottling"])
    func `An article names only symbols that exist`(article: String) throws {
        let symbols = try Symbols(folders: Self.targets.map { Self.sources.appending(path: $0) })
        let text = try String(contentsOf: Self.catalogue.appending(path: article + ".md"), encoding: .utf8)
        // Every second part is a block of code.
        let prose = text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(
            \.element
        ).joined()
        let links = prose.matches(of: /``([^`]+)``/).map { String($0.output.1) }
        #expect(links.count >= 8)
        for link in links where link != "SilentFirst" { #expect(symbols.contain(link), "\(link)") }
    }

    @Test func `The check of names finds a name that does not exist`() throws {
        let symbols = try Symbols(folders: Self.targets.map { Self.sources.appending(path: $0) })
        #expect(symbols.contain("PublicClientApplication/acquireTokenSilent(_:onStep:)"))
        #expect(!symbols.contain("PublicClientApplication/acquireTokenSilent(_:onEvent:)"))
        #expect(!symbols.contain("PublicClientApplication/acquireTokenAutomatically(_:)"))
        #expect(!symbols.contain("TokenRequest/wipe"))
        #expect(!symbols.contain("Silent"))
    }

    @Test func `Each threat of the security model names a test that exists`() throws {
        let model = try String(
            contentsOf: Self.sources.appending(path: "foyer/foyer.docc/SecurityModel.md"), encoding: .utf8)
        let named = model.split(separator: "\n").compactMap {
            $0.firstMatch(of: /\| `([^`]+)` \|$/).map { String($0.output.1) }
        }
        #expect(named.count >= 25)
        var tests = ""
        let folder = Self.sources.appending(path: "../Tests").standardized
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where file.hasSuffix(".swift") || file.hasSuffix(".py") {
            tests += try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        }
        for name in named { #expect(tests.contains("`\(name)`(") || tests.contains("def \(name)("), "\(name)") }
    }

    @Test func `Every article is linked from the landing page, and AD_PROMPT_AUTO comes first in the mapping`() throws {
        let landing = try String(contentsOf: Self.catalogue.appending(path: "SilentFirst.md"), encoding: .utf8)
        for file in try Self.files(Self.catalogue, "md") {
            let name = file.deletingPathExtension().lastPathComponent
            #expect(name == "SilentFirst" || landing.contains("<doc:\(name)>"), "\(name)")
        }
        let mapping = try String(contentsOf: Self.catalogue.appending(path: "ComingFromMSAL.md"), encoding: .utf8)
        #expect(mapping.split(separator: "\n").first { $0.hasPrefix("## ") } == "## What AD_PROMPT_AUTO was")
    }
}

/// The public declarations of some folders, read from their source: each type with the names of its members.
private struct Symbols {
    /// Full names such as `TokenRequest/prompt`, and functions with their labels.
    private var names: Set<String> = []

    init(folders: [URL]) throws {
        for folder in folders {
            for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where file.hasSuffix(".swift")
            {
                read(try String(contentsOf: folder.appending(path: file), encoding: .utf8))
            }
        }
    }

    /// A nested type may be named with or without the type around it, as its articles do.
    func contain(_ link: String) -> Bool { names.contains(link) }

    private mutating func read(_ source: String) {
        // Which type each open brace belongs to; nil for bodies that hold no declarations.
        var scopes: [(name: String?, isPublic: Bool, isEnum: Bool)] = []
        var pending: (name: String?, isPublic: Bool, isEnum: Bool)?
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            var line = raw.trimmingCharacters(in: .whitespaces)
            guard !line.hasPrefix("//") else { continue }
            if line.hasPrefix("case "), line.hasSuffix(",") {
                line += " " + (lines.dropFirst(index + 1).first ?? "").trimmingCharacters(in: .whitespaces)
            }
            let around = scopes.compactMap(\.name).joined(separator: "/")
            let isDeclaring = scopes.allSatisfy { $0.name != nil }
            let prefix = around.isEmpty ? "" : around + "/"
            if isDeclaring {
                if let type = line.firstMatch(of: /^(public )?(?:final |indirect )*(struct|enum|class|actor) (\w+)/) {
                    let isPublic = type.output.1 != nil
                    if isPublic { names.insert(prefix + type.output.3) }
                    pending = (String(type.output.3), isPublic, type.output.2 == "enum")
                    // The whole of a small one may proxy in its line.
                    if isPublic, let inside = line.firstMatch(of: /\{ case (.+) \}$/) {
                        for name in Self.cases("case " + inside.output.1) {
                            names.insert("\(prefix)\(type.output.3)/\(name)")
                        }
                    }
                } else if let wider = line.firstMatch(of: /^(?:public )?extension ([\w.]+)/) {
                    let whole = String(wider.output.1).split(separator: ".").joined(separator: "/")
                    pending = (whole, true, false)
                } else if let value = line.firstMatch(
                    of: /^public (?:nonisolated |static |internal\(set\) |private\(set\) )*(?:var|let) (\w+)/)
                {
                    names.insert(prefix + value.output.1)
                } else if let verb = line.firstMatch(
                    of: /^public (?:nonisolated |static |mutating )*(?:func (\w+)|(init)\??)\s*\(/)
                {
                    let rest = lines[index...].joined(separator: "\n")
                    names.insert(prefix + (verb.output.1 ?? verb.output.2 ?? "") + Self.labels(rest))
                } else if scopes.last?.isEnum == true, scopes.last?.isPublic == true, line.hasPrefix("case ") {
                    for name in Self.cases(line) { names.insert(prefix + name) }
                }
            }
            for character in line {
                if character == "{" {
                    scopes.append(pending ?? (nil, false, false))
                    pending = nil
                } else if character == "}" {
                    _ = scopes.popLast()
                }
            }
        }
    }

    /// `case a, b = "c", d(String, e: Int)` gives `a`, `b`, `d(_:e:)`.
    private static func cases(_ line: String) -> [String] {
        split(String(line.dropFirst(5))).map { part in
            let name = part.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return part.dropFirst(name.count).hasPrefix("(") ? name + labels(part) : String(name)
        }
    }

    /// `(_:onStep:)` of the first parameter list of a text.
    private static func labels(_ text: String) -> String {
        guard let open = text.firstIndex(of: "(") else { return "" }
        var depth = 0
        var inside = ""
        for character in text[open...] {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0 { break }
            inside.append(character)
        }
        let parameters = split(String(inside.dropFirst()))
        return "(" + parameters.map { $0.firstMatch(of: /^(\w+)(?: \w+)?:/).map { $0.output.1 + ":" } ?? "_:" }.joined()
            + ")"
    }

    /// Splits at commas that proxy in no bracket.
    private static func split(_ text: String) -> [String] {
        var depth = 0
        var parts = [""]
        for character in text {
            if "([{<".contains(character) { depth += 1 }
            if ")]}".contains(character) || (character == ">" && parts[parts.count - 1].last != "-") { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
    }
}
