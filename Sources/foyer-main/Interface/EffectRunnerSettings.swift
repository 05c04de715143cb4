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
                let now = try await BlockingExecutor.run { () throws(Failure) in
                    let scopes: [(key: String, value: TOMLText)] =
                        client.scopes.isEmpty ? [] : [(key: "scopes", value: .texts(client.scopes.names))]
                    try SettingsFile(session.settings.path).add(
                        client: client.name, clientID: client.clientID,
                        [(key: "authority", value: .text(client.authority))] + scopes)
                    return try session.readingSettingsAgain()
                }
                self?.session = now
                self?.clients.use(now)
                send(.notice("client \"\(client.name)\" saved in \(now.short(now.settings.path))"))
                send(.settings(now.settingLines(), defaultClient: try now.clientIfAny()?.clientID))
                send(.clients(now.configuredClients))
            } catch { send(.notice("client not saved: \(error.message)")) }
        }
    }
}
