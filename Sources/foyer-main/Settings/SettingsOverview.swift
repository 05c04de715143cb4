import AppModel
import CommandSupport
import Identity

extension CommandContext {
    func settingLines(_ choices: [ClientChoice]) -> [SettingLine] {
        let bytes = (try? TextFile.readTrusted(settings.path, limit: Settings.maximumSize, what: "settings file")) ?? []
        let reader = SettingsReader(path: settings.path, text: String(decoding: bytes, as: UTF8.self))
        func line(_ key: String) -> Int? { bytes.isEmpty ? nil : reader.line(of: key, in: nil) }
        let resolved = try? resolved()
        let (choice, folder) = (resolved?.client, resolved?.source == .rule ? world.ofFolder?.rule : nil)
        let timeout = shared.timeout ?? 10
        var all = [
            SettingLine("settings file", short(settings.path), fileSource),
            SettingLine(
                "client", choice?.name ?? "none",
                source(
                    shared.client.map { _ in "--client" } ?? shared.clientID.map { _ in "--client-id" }, "FOYER_CLIENT",
                    folder?.client ?? settings.defaultClient, folder?.line ?? line("client")),
                choice: .oneOf(choices.map(\.name))),
            SettingLine(
                "theme", settings.theme ?? "default", source(nil, nil, settings.theme, line("theme")), choice: .theme),
            SettingLine(
                "mouse", settings.mouse == true ? "on" : "off",
                source(nil, nil, settings.mouse.map { "\($0)" }, line("mouse")), choice: .mouse),
            SettingLine(
                "store", (try? storeSpec(choice)).map { "\($0)" } ?? "not found",
                source(
                    shared.store.map { _ in "--store" }, "FOYER_STORE", choice?.store ?? settings.store,
                    choice?.store == nil ? line("store") : nil)),
        ]
        if let choice, let authority = try? authority(choice) {
            all.append(
                SettingLine(
                    "authority", authority.address.text,
                    source(shared.authority.map { _ in "--authority" }, "FOYER_AUTHORITY", choice.authority, nil)))
        }
        all += [
            SettingLine(
                "colours", shared.noColor || environment["NO_COLOR"] != nil ? "none" : "terminal default",
                source(shared.noColor ? "--no-color" : nil, "NO_COLOR", nil, nil)),
            SettingLine(
                "request timeout", "\(Int(exactly: timeout).map { "\($0)" } ?? "\(timeout)") s",
                source(shared.timeout.map { _ in "--timeout" }, nil, nil, nil)),
        ]
        for (name, variables) in [
            ("browser", ["BROWSER"]), ("proxy", ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]),
            ("certificates", ["SSL_CERT_FILE"]), ("accessible", ["ACCESSIBLE"]),
        ] {
            guard let variable = variables.first(where: { environment[$0] != nil }), let value = environment[variable]
            else { continue }
            // A proxy URL can contain a password.
            all.append(SettingLine(name, name == "proxy" ? "set" : value, .environment(variable)))
        }
        if settings.keys.places.contains(where: { $0.commands?.isEmpty == false }) {
            all.append(SettingLine("keys", "changed", .file(line: line("keys"))))
        }
        return all
    }

    private var fileSource: SettingLine.Source {
        if shared.config != nil { return .option("--config") }
        return environment["FOYER_CONFIG"] != nil ? .environment("FOYER_CONFIG") : .standard
    }

    /// The source with the highest precedence.
    private func source(_ option: String?, _ variable: String?, _ inFile: String?, _ line: Int?) -> SettingLine.Source {
        if let option { return .option(option) }
        if let variable, environment[variable] != nil { return .environment(variable) }
        return inFile != nil ? .file(line: line) : .standard
    }
}
