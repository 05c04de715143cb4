import ArgumentParser
import CommandSupport
import Identity
import StrictJSON

extension AgentCommand {
    struct Install: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Have systemd start the agent when it is needed",
            discussion: "Writes two sockets and a service for your own service manager, and enables the sockets.")
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
                ? "enabled: the agent starts when it is asked"
                : "your service manager could not be asked; run: systemctl --user daemon-reload, "
                    + "systemctl --user enable --now \(AgentUnits.socketName) \(AgentUnits.forwardName)"
            output.result(
                JSONValue(("units", .array(units.paths.map(\.json))), ("enabled", .bool(isEnabled))),
                or: units.paths.map { "written: \($0)" } + [state])
        }
    }

    struct Uninstall: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "uninstall", abstract: "Take back what install has done",
            discussion: "Stops the agent that systemd has started, and removes the units.")
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
