import CommandSupport
import Glibc
import Identity

/// The person's configuration of git, read and changed by git itself.
struct GitConfiguration {
    private let git: CheckedProgram
    private let environment: ProcessEnvironment

    static let helper = "foyer"
    /// Key, value and how it is written: what setup adds.
    static let settings = [
        (key: "credential.helper", value: helper),
        (key: "credential.https://dev.azure.com.useHttpPath", value: "true"),
    ]
    /// The lines that git writes for them.
    static let lines = [
        "[credential]", "helper = foyer", #"[credential "https://dev.azure.com"]"#, "useHttpPath = true",
    ]

    /// - Returns: nil where there is no git.
    init?(_ environment: ProcessEnvironment) {
        guard let git = CheckedProgram("git", environment) else { return nil }
        self.git = git
        self.environment = environment
    }

    /// The file that `git config --global` changes, by the rule of git-config(1).
    var path: String {
        if let named = environment["GIT_CONFIG_GLOBAL"] { return environment.expand(named) }
        let own = environment.home + "/.gitconfig"
        let other = (environment["XDG_CONFIG_HOME"] ?? environment.home + "/.config") + "/git/config"
        return access(own, R_OK) != 0 && access(other, R_OK) == 0 ? other : own
    }

    /// What the person's configuration says, with the files that it includes.
    func values(_ key: String) throws(Failure) -> [String] { try values(["--global", "--includes"], key) }

    private func values(_ place: [String], _ key: String) throws(Failure) -> [String] {
        guard let end = git.run(["config"] + place + ["-z", "--get-all", key]) else {
            throw Failure(.configuration, "git did not tell its configuration within 10 seconds")
        }
        // 1: there is none, which git also says of a file that is not there.
        guard end.status == 0 || end.status == 1 else {
            throw Failure(
                .configuration, "git cannot read its configuration (exit status \(end.status))",
                hint: "run \"git config --global --list\" to see why")
        }
        return end.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a helper of this name, or this program, is foyer's.
    static func isOurs(_ helper: String) -> Bool {
        guard let word = helper.split(separator: " ").first else { return false }
        return word == Self.helper || word.split(separator: "/").last == "git-credential-foyer"
    }

    /// - Returns: the settings that are missing.
    func missing() throws(Failure) -> [(key: String, value: String)] {
        var missing: [(key: String, value: String)] = []
        for setting in Self.settings {
            let values = try values(setting.key)
            let isThere = setting.value == Self.helper ? values.contains(where: Self.isOurs) : !values.isEmpty
            if !isThere { missing.append(setting) }
        }
        return missing
    }

    /// The file's text with settings added.
    func added(_ settings: [(key: String, value: String)], to bytes: [UInt8]?) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            for setting in settings {
                _ = try git.output(
                    ["config", "--file", copy, "--add", setting.key, setting.value], "change its configuration")
            }
        }
    }

    /// The file's text without the settings that setup had added, whatever else has come to it.
    ///
    /// - Parameter own: their keys.
    /// - Throws: `configuration` when one of them says something else by now.
    func removed(_ own: [String], from bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            for setting in Self.settings where own.contains(setting.key) {
                let values = try values(["--file", copy], setting.key)
                guard values.contains(setting.value) else {
                    if setting.value == Self.helper, let other = values.first(where: Self.isOurs) {
                        throw Failure(.configuration, "\(setting.key) is \"\(other)\" by now")
                    }
                    continue
                }
                _ = try git.output(
                    ["config", "--file", copy, "--unset-all", setting.key, "^\(setting.value)$"],
                    "change its configuration")
            }
        }
    }

    /// What a person would type.
    static func command(_ setting: (key: String, value: String)) -> String {
        "git config --global --add \(setting.key) \(setting.value)"
    }

    static func undoCommand(_ key: String) -> String { "git config --global --unset-all \(key)" }
}
