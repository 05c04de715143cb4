import CommandSupport
import Identity

/// The user's settings of Azure CLI that concern foyer: variables `AZURE_SECTION_NAME`, else the file `config` in its
/// folder (https://learn.microsoft.com/cli/azure/azure-cli-configuration).
struct AzureCLISettings: Sendable {
    private static let maximumBytes = 1 << 20

    /// The format without `--output`; nil if foyer does not write it, or the file is unreadable.
    let output: AzureCLIRequest.Form?

    init(_ environment: ProcessEnvironment) {
        do throws(Failure) {
            var text = try environment.bounded("AZURE_CORE_OUTPUT", limit: 4096)
            if text == nil {
                let bytes = try TextFile.read(
                    AzureProfile.folder(environment) + "/config", limit: Self.maximumBytes,
                    what: "configuration of Azure CLI")
                text = bytes.flatMap { Self.value(of: "output", in: "core", String(decoding: $0, as: UTF8.self)) }
            }
            output = text.map(AzureCLIRequest.Form.init(azure:)) ?? .json
        } catch { output = nil }
    }

    /// The last value, as Python's configparser reads it. Names of settings ignore case.
    static func value(of name: String, in section: String, _ text: String) -> String? {
        var isWithin = false
        var found: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.drop { $0 == " " || $0 == "\t" }
            if words.first == "[" {
                isWithin = words.dropFirst().prefix { $0 != "]" } == section
            } else if isWithin, words.first != "#", words.first != ";",
                let mark = words.firstIndex(where: { $0 == "=" || $0 == ":" })
            {
                guard trimmed(words[..<mark]).asciiLowercased == name else { continue }
                found = String(trimmed(words[words.index(after: mark)...]))
            }
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
