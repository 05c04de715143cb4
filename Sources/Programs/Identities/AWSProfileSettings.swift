package import CommandSupport
package import Identity

/// The settings of an AWS profile that choose no identity, such as its region, for the file that replaces the user's.
package struct AWSProfileSettings: Sendable {
    /// Each with its lines, in the order of the file.
    private var settings: [(name: String, lines: [String])] = []
    private var services: [String] = []

    private static let limit = 1 << 20
    /// An unknown setting could choose an identity, so only these are taken over.
    private static let known: Set<String> = [
        "account_id_endpoint_mode", "ca_bundle", "cli_auto_prompt", "cli_binary_format", "cli_history", "cli_pager",
        "cli_timestamp_format", "defaults_mode", "disable_request_compression", "endpoint_url",
        "ignore_configured_endpoint_urls", "max_attempts", "output", "parameter_validation", "region",
        "request_checksum_calculation", "request_min_compression_size_bytes", "response_checksum_validation",
        "retry_mode", "s3", "s3_disable_express_session_auth", "s3_disable_multiregion_access_points",
        "s3_us_east_1_regional_endpoint", "s3_use_arn_region", "sdk_ua_app_id", "services",
        "sigv4a_signing_region_set", "sts_regional_endpoints", "tcp_keepalive", "use_dualstack_endpoint",
        "use_fips_endpoint",
    ]

    /// Reads the profile that the shell would use.
    ///
    /// - Throws: `configuration` if a file cannot be read: its region must not be lost without a word.
    package static func read(_ environment: ProcessEnvironment) throws(Failure) -> AWSProfileSettings {
        func text(_ variable: String, _ usual: String) throws(Failure) -> String {
            let path = environment.expand(environment[variable] ?? usual)
            // A usual way to have none.
            guard path != "/dev/null" else { return "" }
            let bytes = try TextFile.read(path, limit: limit, what: "AWS configuration file")
            return String(decoding: bytes ?? [], as: UTF8.self)
        }
        return AWSProfileSettings(
            of: environment["AWS_PROFILE"] ?? environment["AWS_DEFAULT_PROFILE"] ?? "default",
            configuration: try text("AWS_CONFIG_FILE", "~/.aws/config"),
            credentials: try text("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"))
    }

    /// - Parameters:
    ///   - configuration: the text of the configuration file, whose section is `[profile NAME]`.
    ///   - credentials: that of the credentials file, whose section is `[NAME]` and whose settings take precedence.
    package init(of profile: String, configuration: String, credentials: String) {
        let sections = Self.sections(configuration)
        for (kind, name, lines) in sections where name == profile && (kind == "profile" || name == "default") {
            take(lines)
        }
        for (_, name, lines) in Self.sections(credentials) where name == profile { take(lines) }
        guard let named = value("services") else { return }
        services = sections.last { $0.kind == "services" && $0.name == named }?.lines.flatMap(\.lines) ?? []
    }

    /// The value of a setting that has one line; nil if the profile does not have it.
    package func value(_ name: String) -> String? {
        guard let line = settings.first(where: { $0.name == name })?.lines.first,
            let mark = line.firstIndex(of: "=")
        else { return nil }
        return Self.trimmed(line[line.index(after: mark)...])
    }

    /// A configuration file whose default profile has these settings and the identity's.
    package func file(_ identity: [(name: String, value: String)]) -> String {
        var lines = ["[default]"] + identity.map { "\($0.name) = \($0.value)" } + settings.flatMap(\.lines)
        if let name = value("services") { lines += ["[services \(name)]"] + services }
        return lines.map { $0 + "\n" }.joined()
    }

    private mutating func take(_ added: [Setting]) {
        for setting in added where Self.known.contains(setting.name) {
            settings.removeAll { $0.name == setting.name }
            settings.append(setting)
        }
    }

    // MARK: The format

    private typealias Setting = (name: String, lines: [String])

    /// `[KIND NAME]` or `[NAME]`, whose kind is empty. A line that begins with a space continues the setting before it.
    private static func sections(_ text: String) -> [(kind: String, name: String, lines: [Setting])] {
        var found: [(kind: String, name: String, lines: [Setting])] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = trimmed(line)
            guard let first = words.first, first != "#", first != ";" else { continue }
            if line.first == "[" {
                let title = words.dropFirst().prefix { $0 != "]" }.split(maxSplits: 1, whereSeparator: \.isWhitespace)
                let name = trimmed(title.last ?? "").filter { $0 != "\"" && $0 != "'" }
                found.append((title.count == 2 ? String(title[0]) : "", name, []))
            } else if !found.isEmpty {
                let last = found.count - 1
                if line.first?.isWhitespace == true {
                    // Some SDKs read such a line as a setting of the profile if the one before it has a value.
                    guard var setting = found[last].lines.popLast() else { continue }
                    if trimmed(setting.lines[0][...]).hasSuffix("=") { setting.lines.append(String(line)) }
                    found[last].lines.append(setting)
                } else if let mark = line.firstIndex(of: "=") {
                    found[last].lines.append((trimmed(line[..<mark]).lowercased(), [String(line)]))
                }
            }
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
