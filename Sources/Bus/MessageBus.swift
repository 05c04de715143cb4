// D-Bus through libdbus: the session bus for the broker, the system bus for logind. It must not know their messages.

import CDBus
package import Glibc

/// A private connection to a bus, used by one thread. Each call that waits has a time limit.
package final class MessageBus {
    /// The reason for a failed call: lower case, no full stop.
    package struct Trouble: Error, Hashable, Sendable {
        package let message: String
    }

    /// Results of `RequestName`, numbered by the D-Bus specification.
    package enum NameReply: UInt32 { case owner = 1, queued, exists, alreadyOwner }

    private let bus: OpaquePointer

    /// For calls to the bus itself, which responds immediately.
    private static let patience: Duration = .seconds(2)
    private static let longestTrouble = 300

    /// - Parameter isThere: whether there is a session bus.
    /// - Throws: if there is no session bus or no libdbus.
    package init(isThere: Bool) throws(Trouble) {
        // libdbus would start a bus if there is none.
        guard isThere else { throw Trouble(message: "no D-Bus session") }
        var text = [CChar](repeating: 0, count: Self.longestTrouble)
        guard let bus = foyer_bus_open(&text, text.count) else { throw Self.trouble(text) }
        self.bus = bus
    }

    private init(_ bus: OpaquePointer) { self.bus = bus }

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

    /// Waits until a message can be read, queued output can be written, or another descriptor is readable.
    package func wait(or other: Int32, for time: Duration) {
        var files = [
            pollfd(fd: foyer_bus_descriptor(bus), events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        if foyer_bus_has_output(bus) { files[0].events |= Int16(POLLOUT) }
        _ = poll(&files, nfds_t(files.count), Int32(clamping: Int64(time / .milliseconds(1))))
    }

    /// Reads and writes as much as possible without waiting; false if the bus has disconnected.
    package func turn() -> Bool { foyer_bus_turn(bus) }

    package func next() -> BusMessage? { foyer_bus_next(bus).map { BusMessage($0) } }

    package func send(_ message: BusMessage) { _ = foyer_bus_send(bus, message.pointer) }

    /// - Throws: also for an error reply, and if the peer disconnects.
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

    /// Subscribes to the messages that a D-Bus match rule describes.
    package func hears(_ rule: String) -> Bool { (try? ask("AddMatch", rule)) != nil }

    package func owner(of name: String) -> String? { (try? ask("GetNameOwner", name))?.text(0) }

    /// Whether the bus would start a program for a name. Starts none.
    package func isActivatable(_ name: String) -> Bool { (try? ask("ListActivatableNames"))?.lists(name) ?? false }

    /// Takes a free name and keeps it until it is released: later requests neither get it nor are queued.
    package func take(_ name: String) throws(Trouble) -> NameReply? {
        // DBUS_NAME_FLAG_DO_NOT_QUEUE, and neither ALLOW_REPLACEMENT (1) nor REPLACE_EXISTING (2).
        try ask("RequestName", name, 4).number.flatMap(NameReply.init(rawValue:))
    }

    package func release(_ name: String) { _ = try? ask("ReleaseName", name) }

    package func reloadConfiguration() { _ = try? ask("ReloadConfig") }

    /// The process and user of a connection; nil if the bus does not report them.
    package func process(of connection: String) -> (pid: pid_t, uid: uid_t)? {
        guard let answer = try? ask("GetConnectionCredentials", connection), let pid = answer.entry("ProcessID"),
            let uid = answer.entry("UnixUserID")
        else { return nil }
        return (pid_t(bitPattern: pid), uid)
    }
}
