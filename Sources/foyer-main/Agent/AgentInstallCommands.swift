import ArgumentParser
import CommandSupport
import Identity
import StrictJSON

extension AgentCommand {
    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Start the agent on demand with systemd",
            discussion: "Writes two sockets and a service for systemd --user, and enables the sockets.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let units = AgentUnits(ProcessEnvironment())
            try units.write()
            let isEnabled = units.tell([
                ["daemon-reload"], ["enable", "--now", AgentUnits.socketName, AgentUnits.forwardName],
            ])
            let state =
                isEnabled
                ? "enabled: the agent starts on demand"
                : "cannot reach systemd --user; run: systemctl --user daemon-reload, "
                    + "systemctl --user enable --now \(AgentUnits.socketName) \(AgentUnits.forwardName)"
            output.result(
                JSONValue(("units", .array(units.paths.map(\.json))), ("enabled", .bool(isEnabled))),
                or: units.paths.map { "written: \($0)" } + [state])
        }
    }

    struct Uninstall: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "uninstall", abstract: "Undo \"foyer agent install\"",
            discussion: "Stops the agent that systemd started and removes the units.")
        @OptionGroup(title: "Common options") var shared: SharedOptions

        func run() async throws {
            let output = try Output(shared.choices())
            let units = AgentUnits(ProcessEnvironment())
            let isDisabled = units.tell([
                ["disable", "--now", AgentUnits.socketName, AgentUnits.forwardName, AgentUnits.serviceName]
            ])
            let isRemoved = try units.remove()
            _ = units.tell([["daemon-reload"]])
            output.result(
                JSONValue(("removed", .bool(isRemoved)), ("disabled", .bool(isDisabled))),
                or: [isRemoved ? "units removed" : "no units were installed"])
        }
    }
}
