import CommandSupport
import Glibc
import Identity

/// The user's git configuration, read and changed by git itself.
struct GitConfiguration {
    private let git: CheckedProgram
    private let environment: ProcessEnvironment

    static let helper = "foyer"
    static let settings = [
        (key: "credential.helper", value: helper),
        (key: "credential.https://dev.azure.com.useHttpPath", value: "true"),
    ]
    /// The lines that git writes for these settings.
    static let lines = [
        "[credential]", "helper = foyer", #"[credential "https://dev.azure.com"]"#, "useHttpPath = true",
    ]

    init?(_ environment: ProcessEnvironment) {
        guard let git = CheckedProgram("git", environment) else { return nil }
        self.git = git
        self.environment = environment
    }

    /// The file that `git config --global` changes, see git-config(1).
    var path: String {
        if let named = environment["GIT_CONFIG_GLOBAL"] { return environment.expand(named) }
        let own = environment.home + "/.gitconfig"
        let other = (environment["XDG_CONFIG_HOME"] ?? environment.home + "/.config") + "/git/config"
        return access(own, R_OK) != 0 && access(other, R_OK) == 0 ? other : own
    }

    /// The user's configuration, including the files that it includes.
    func values(_ key: String) throws(Failure) -> [String] { try values(["--global", "--includes"], key) }

    private func values(_ place: [String], _ key: String) throws(Failure) -> [String] {
        guard let end = git.run(["config"] + place + ["-z", "--get-all", key]) else {
            throw Failure(.configuration, "git did not list its configuration within 10 seconds")
        }
        // 1: not set, also if the file does not exist.
        guard end.status == 0 || end.status == 1 else {
            throw Failure(
                .configuration, "git cannot read its configuration (exit status \(end.status))",
                hint: "run \"git config --global --list\" to see why")
        }
        return end.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    static func isOurs(_ helper: String) -> Bool {
        guard let word = helper.split(separator: " ").first else { return false }
        return word == Self.helper || word.split(separator: "/").last == "git-credential-foyer"
    }

    func missing() throws(Failure) -> [(key: String, value: String)] {
        var missing: [(key: String, value: String)] = []
        for setting in Self.settings {
            let values = try values(setting.key)
            let isThere = setting.value == Self.helper ? values.contains(where: Self.isOurs) : !values.isEmpty
            if !isThere { missing.append(setting) }
        }
        return missing
    }

    func added(_ settings: [(key: String, value: String)], to bytes: [UInt8]?) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            for setting in settings {
                _ = try git.output(
                    ["config", "--file", copy, "--add", setting.key, setting.value], "change its configuration")
            }
        }
    }

    /// The file's text without setup's settings; later changes are kept. Throws if one has another value now.
    func removed(_ own: [String], from bytes: [UInt8]) throws(Failure) -> [UInt8]? {
        try ScratchCopy.changed(bytes, environment) { copy throws(Failure) in
            for setting in Self.settings where own.contains(setting.key) {
                let values = try values(["--file", copy], setting.key)
                guard values.contains(setting.value) else {
                    if setting.value == Self.helper, let other = values.first(where: Self.isOurs) {
                        throw Failure(.configuration, "\(setting.key) has changed to \"\(other)\"")
                    }
                    continue
                }
                _ = try git.output(
                    ["config", "--file", copy, "--unset-all", setting.key, "^\(setting.value)$"],
                    "change its configuration")
            }
        }
    }

    static func command(_ setting: (key: String, value: String)) -> String {
        "git config --global --add \(setting.key) \(setting.value)"
    }

    static func undoCommand(_ key: String) -> String { "git config --global --unset-all \(key)" }
}
