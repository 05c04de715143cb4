import CDBus

/// A D-Bus message, used by the thread of its ``MessageBus``.
package final class BusMessage {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { foyer_message_free(pointer) }

    /// A method call; nil when out of memory or if a name is invalid.
    package convenience init?(name: String, path: String, interface: String, member: String) {
        guard let pointer = foyer_message_call(name, path, interface, member) else { return nil }
        self.init(pointer)
    }

    package func reply() -> BusMessage? { foyer_message_return(pointer).map { BusMessage($0) } }

    package func refusal(_ name: String, _ text: String) -> BusMessage? {
        foyer_message_error(pointer, name, text).map { BusMessage($0) }
    }

    /// - Parameter text: without NUL, which would end it.
    package func add(_ text: String) { _ = foyer_message_add_text(pointer, text) }
    package func add(_ number: UInt32) { _ = foyer_message_add_number(pointer, number) }

    package var isCall: Bool { foyer_message_kind(pointer) == Int32(FOYER_MESSAGE_CALL) }
    package var isSignal: Bool { foyer_message_kind(pointer) == Int32(FOYER_MESSAGE_SIGNAL) }
    package var wantsAnswer: Bool { foyer_message_wants_answer(pointer) }
    package var sender: String? { foyer_message_sender(pointer).map { String(cString: $0) } }
    package var path: String? { foyer_message_path(pointer).map { String(cString: $0) } }
    package var interface: String? { foyer_message_interface(pointer).map { String(cString: $0) } }
    package var member: String? { foyer_message_member(pointer).map { String(cString: $0) } }

    /// The argument at this index; nil if it is missing or not a string.
    package func text(_ index: Int32) -> String? { foyer_message_text(pointer, index).map { String(cString: $0) } }

    package var number: UInt32? {
        var number: UInt32 = 0
        return foyer_message_number(pointer, &number) ? number : nil
    }

    /// The first argument, a variant: the number at the start of its structure.
    package var innerNumber: UInt32? {
        var number: UInt32 = 0
        return foyer_message_inner_number(pointer, &number) ? number : nil
    }

    /// The first argument; the caller closes it.
    package var descriptor: Int32? {
        let file = foyer_message_descriptor(pointer)
        return file >= 0 ? file : nil
    }

    /// Whether the first argument is a list of strings that contains this one.
    package func lists(_ text: String) -> Bool { foyer_message_lists(pointer, text) }

    /// The number under this name in the first argument, a dictionary.
    package func entry(_ name: String) -> UInt32? {
        var number: UInt32 = 0
        return foyer_message_entry(pointer, name, &number) ? number : nil
    }
}
