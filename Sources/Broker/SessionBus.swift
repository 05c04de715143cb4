package import Bus
package import CommandSupport

extension MessageBus {
    /// - Throws: if there is no session bus or no libdbus.
    package convenience init(_ environment: ProcessEnvironment) throws(Trouble) {
        try self.init(isThere: DefaultStore(environment).hasSession)
    }
}
