import AppModel
import CommandSupport
import Identity
import TokenCache

extension EffectRunner {
    /// Writes a line of the settings file, and reports the new settings.
    func keep(_ name: String, _ value: SettingValue, orElse failed: String) {
        changeFiles { [weak self, session, send] in
            do throws(Failure) {
                let (change, message) = try await BlockingExecutor.run { () throws(Failure) in
                    let file = SettingsFile(session.settings.path)
                    let change =
                        switch value {
                        case .text(let text): try file.set(name, to: text)
                        case .flag(let flag): try file.set(name, to: flag)
                        }
                    let now = try CommandContext(session.shared, environment: session.environment)
                    return (
                        change,
                        Message.settings(now.settingLines(now.choices), defaultClient: try now.clientIfAny()?.clientID)
                    )
                }
                self?.noteSaved(change, name)
                send(.notice("\(name) saved in \(session.short(session.settings.path))"))
                send(message)
            } catch { send(.notice("\(failed): \(error.message)")) }
        }
    }

    /// Saves a client in the settings file. From then on its accounts use the authority given there.
    func keep(_ client: ConfiguredClient) {
        changeFiles { [weak self, session, send] in
            do throws(Failure) {
                let (change, (now, defaultClient)) = try await BlockingExecutor.run { () throws(Failure) in
                    var choice = ClientChoice(
                        name: client.name, clientID: client.clientID, authority: client.authority, kind: client.kind)
                    choice.scopes = client.scopes.names
                    let change = try session.save(choice)
                    return (change, try session.withSettingsNow())
                }
                self?.noteSaved(change, "client \(client.name)")
                send(.notice("client \"\(client.name)\" saved in \(now.short(now.settings.path))"))
                self?.use(now, defaultClient)
            } catch { send(.notice("client not saved: \(error.message)")) }
        }
    }

    /// - Parameter words: see ``AppModel/UndoableSetting/words``.
    func noteSaved(_ change: SettingsChange, _ words: String) {
        lastSettingsChange += 1
        settingsChanges[lastSettingsChange] = change
        settingsChanges[lastSettingsChange - 50] = nil
        send(.settingSaved(UndoableSetting(lastSettingsChange, words)))
    }

    func undo(_ setting: UndoableSetting) {
        changeFiles { [weak self, send] in
            do throws(Failure) {
                guard let change = self?.settingsChanges[setting.number] else {
                    throw Failure(.configuration, "too many changes since")
                }
                try await BlockingExecutor.run { () throws(Failure) in try SettingsFile.undo(change) }
                self?.settingsChanges[setting.number] = nil
                send(.notice("undone: \(setting.words)"))
            } catch {
                send(.notice("not undone: \(error.message)"))
                // The disk may only be full: the undo is offered again.
                if error.code != .configuration { send(.settingSaved(setting)) }
            }
            await self?.useSettingsNow()
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
        let choices = now.choices
        send(.settings(now.settingLines(choices), defaultClient: defaultClient))
        send(.clients(now.configuredClients(choices)))
    }
}

extension CommandContext {
    func withSettingsNow() throws(Failure) -> (CommandContext, defaultClient: String?) {
        let now = try readingSettingsAgain()
        return (now, try now.clientIfAny()?.clientID)
    }
}
