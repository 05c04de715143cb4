import AppModel
import Broker
import Bus
import CommandSupport
import Identity

extension Diagnostics {
    /// Reports the session's broker and whether foyer uses it. Starts nothing.
    func broker(_ session: CommandContext) -> DoctorFinding {
        let bus: MessageBus
        do { bus = try MessageBus(session.environment) } catch {
            return DoctorFinding("broker", .good, "none (\(error.message))")
        }
        let presence = BrokerPresence(bus, BrokerServiceFile(session.environment))
        let use = session.settings.broker
        let isAsked = presence.other != nil ? "; foyer uses it: \(use.rawValue)" : ""
        let needsIt = presence.other == nil && use != .never
        return DoctorFinding(
            "broker", needsIt ? .note : .good, presence.words + isAsked,
            hint: needsIt ? "the settings have [broker] use = \"\(use.rawValue)\", but there is no other broker" : nil)
    }
}
