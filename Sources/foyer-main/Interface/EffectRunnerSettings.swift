import AppModel
import CommandSupport
import Identity
import StrictTOML
import TokenCache

extension EffectRunner {
    /// Writes a line of the settings file, and reports the new settings.
    func keep(_ name: String, _ value: SettingValue, orElse failed: String) {
        changeFiles { [session, send] in
            do throws(Failure) {
                let message = try await BlockingExecutor.run { () throws(Failure) in
                    let file = SettingsFile(session.settings.path)
                    switch value {
                    case .text(let text): try file.set(name, to: text)
                    case .flag(let flag): try file.set(name, to: flag)
                    }
                    let now = try CommandContext(session.shared, environment: session.environment)
                    return Message.settings(now.settingLines(), defaultClient: try now.clientIfAny()?.clientID)
                }
                send(.notice("\(name) saved in \(session.short(session.settings.path))"))
                send(message)
            } catch { send(.notice("\(failed): \(error.message)")) }
        }
    }

    /// Saves a client in the settings file. From then on its accounts use the authority given there.
    func keep(_ client: ConfiguredClient) {
        changeFiles { [weak self, session, send] in
            do throws(Failure) {
                let (now, defaultClient) = try await BlockingExecutor.run { () throws(Failure) in
                    let scopes: [(key: String, value: TOMLText)] =
                        client.scopes.isEmpty ? [] : [(key: "scopes", value: .texts(client.scopes.names))]
                    try SettingsFile(session.settings.path).add(
                        client: client.name, clientID: client.clientID,
                        [(key: "authority", value: .text(client.authority))] + scopes)
                    return try session.withSettingsNow()
                }
                send(.notice("client \"\(client.name)\" saved in \(now.short(now.settings.path))"))
                self?.use(now, defaultClient)
            } catch { send(.notice("client not saved: \(error.message)")) }
        }
    }

    /// Uses the settings file as it is now. Invalid settings are not used; commands and the doctor report them.
    func readSettingsAgain() async {
        changeFiles { [weak self, session] in
            guard let (now, defaultClient) = try? await BlockingExecutor.run({ try session.withSettingsNow() }) else {
                return
            }
            self?.use(now, defaultClient)
        }
        _ = await changedSession()
    }

    func use(_ now: CommandContext, _ defaultClient: String?) {
        session = now
        clients.use(now)
        send(.settings(now.settingLines(), defaultClient: defaultClient))
        send(.clients(now.configuredClients))
    }
}

extension CommandContext {
    func withSettingsNow() throws(Failure) -> (CommandContext, defaultClient: String?) {
        let now = try readingSettingsAgain()
        return (now, try now.clientIfAny()?.clientID)
    }
}
