// D-Bus by libdbus: the session's bus for the broker, the system's for what logind tells. It must not know who speaks
// on it, or of what.

import CDBus
package import Glibc

/// A connection of its own to a bus. Each call of it that waits says for how long; one thread uses it.
package final class MessageBus {
    /// Why there is no answer: lower case, no full stop.
    package struct Trouble: Error, Hashable, Sendable {
        package let message: String
    }

    /// The answers of `RequestName`, as the D-Bus specification numbers them.
    package enum NameReply: UInt32 { case owner = 1, queued, exists, alreadyOwner }

    private let bus: OpaquePointer

    /// The bus itself answers at once.
    private static let patience: Duration = .seconds(2)
    private static let longestTrouble = 300

    /// The session's bus.
    ///
    /// - Parameter isThere: whether the session has one.
    /// - Throws: where there is no session bus, or no libdbus.
    package init(isThere: Bool) throws(Trouble) {
        // libdbus would start a bus where there is none.
        guard isThere else { throw Trouble(message: "there is no session bus") }
        var text = [CChar](repeating: 0, count: Self.longestTrouble)
        guard let bus = foyer_bus_open(&text, text.count) else { throw Self.trouble(text) }
        self.bus = bus
    }

    private init(_ bus: OpaquePointer) { self.bus = bus }

    /// The system's bus.
    package static func ofSystem() throws(Trouble) -> MessageBus {
        var text = [CChar](repeating: 0, count: longestTrouble)
        guard let bus = foyer_bus_open_system(&text, text.count) else { throw trouble(text) }
        return MessageBus(bus)
    }

    deinit { foyer_bus_close(bus) }

    private static func trouble(_ text: [CChar]) -> Trouble {
        Trouble(message: String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    // MARK: Messages

    /// Waits until there is something to read, what waits to be sent can be written, or another descriptor can be read.
    package func wait(or other: Int32, for time: Duration) {
        var files = [
            pollfd(fd: foyer_bus_descriptor(bus), events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        if foyer_bus_has_output(bus) { files[0].events |= Int16(POLLOUT) }
        _ = poll(&files, nfds_t(files.count), Int32(clamping: Int64(time / .milliseconds(1))))
    }

    /// Reads and writes what can be without waiting.
    ///
    /// - Returns: false once the connection is gone.
    package func turn() -> Bool { foyer_bus_turn(bus) }

    package func next() -> BusMessage? { foyer_bus_next(bus).map { BusMessage($0) } }

    package func send(_ message: BusMessage) { _ = foyer_bus_send(bus, message.pointer) }

    /// Sends a call and waits for its answer.
    ///
    /// - Throws: for an error of the other side, too, and when it goes away.
    package func ask(_ call: BusMessage, within time: Duration) throws(Trouble) -> BusMessage {
        var text = [CChar](repeating: 0, count: Self.longestTrouble)
        let limit = Int32(clamping: Int64(time / .milliseconds(1)))
        guard let answer = foyer_bus_ask(bus, call.pointer, limit, &text, text.count) else { throw Self.trouble(text) }
        return BusMessage(answer)
    }

    // MARK: The bus itself

    private func ask(_ member: String, _ text: String? = nil, _ number: UInt32? = nil) throws(Trouble) -> BusMessage {
        let name = "org.freedesktop.DBus"
        guard let call = BusMessage(name: name, path: "/org/freedesktop/DBus", interface: name, member: member) else {
            throw Trouble(message: "no memory")
        }
        if let text { call.add(text) }
        if let number { call.add(number) }
        return try ask(call, within: Self.patience)
    }

    /// Has the bus send what a match rule of the D-Bus specification describes.
    package func hears(_ rule: String) -> Bool { (try? ask("AddMatch", rule)) != nil }

    /// The connection that owns a name; nil when none does.
    package func owner(of name: String) -> String? { (try? ask("GetNameOwner", name))?.text(0) }

    /// Whether the bus would start somebody for a name. Starts nobody.
    package func isActivatable(_ name: String) -> Bool { (try? ask("ListActivatableNames"))?.lists(name) ?? false }

    /// Takes a name that nobody has, for good: whoever wants it later gets neither it nor a place in a queue.
    package func take(_ name: String) throws(Trouble) -> NameReply? {
        // DBUS_NAME_FLAG_DO_NOT_QUEUE, and neither ALLOW_REPLACEMENT (1) nor REPLACE_EXISTING (2).
        try ask("RequestName", name, 4).number.flatMap(NameReply.init(rawValue:))
    }

    package func release(_ name: String) { _ = try? ask("ReleaseName", name) }

    /// Has the bus read its service files again.
    package func reloadConfiguration() { _ = try? ask("ReloadConfig") }

    /// The process and the user of a connection; nil when the bus does not say.
    package func process(of connection: String) -> (pid: pid_t, uid: uid_t)? {
        guard let answer = try? ask("GetConnectionCredentials", connection), let pid = answer.entry("ProcessID"),
            let uid = answer.entry("UnixUserID")
        else { return nil }
        return (pid_t(bitPattern: pid), uid)
    }
}
