/// A removal whose entries the program keeps, in order to restore them.
package struct UndoableRemoval: Hashable, Sendable {
    /// The request of the removal.
    package let removal: RequestID
    /// The account's label.
    package let account: String
    package let clientID: String

    package init(_ removal: RequestID, account: String, clientID: String) {
        (self.removal, self.account, self.clientID) = (removal, account, clientID)
    }
}
