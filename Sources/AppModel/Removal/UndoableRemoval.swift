/// A removal whose entries the program keeps, in order to restore them.
package import Identity

package struct UndoableRemoval: Hashable, Sendable {
    /// The request of the removal.
    package let removal: RequestID
    /// The account's label.
    package let account: String
    package let use: ClientUse

    package init(_ removal: RequestID, account: String, _ use: ClientUse) {
        (self.removal, self.account, self.use) = (removal, account, use)
    }
}
