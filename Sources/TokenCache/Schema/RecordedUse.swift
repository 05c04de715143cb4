import FoundationEssentials
import Identity

extension CacheEntry {
    /// Whether it keeps a token of an unfinished sign-out.
    var isPendingRevocation: Bool { has("revocation_secret") }

    /// The use that an unfinished sign-out ends; nil for other metadata.
    var pendingUse: ClientUse? {
        guard isPendingRevocation, let clientID = filled("client_id"), let authority = filled("revocation_authority")
        else { return nil }
        return clientUse(
            clientID, name: filled("revocation_name"), authority: authority, kind: filled("revocation_authority_kind"),
            at: date("revocation_since"))
    }

    /// Nil for what foyer never writes.
    func clientUse(_ clientID: String, name: String?, authority: String, kind: String?, at: Date?) -> ClientUse? {
        let directory = text("realm") ?? ""
        guard [authority, clientID, name ?? "", directory].allSatisfy({ $0.utf8.count <= ClientUse.longestText }) else {
            return nil
        }
        let kind = kind.flatMap { Authority.Kind(rawValue: $0) }
        guard (try? Authority(authority, kind: kind)) != nil else { return nil }
        return ClientUse(
            clientID: clientID, name: name, authority: authority, kind: kind, directory: directory, at: at)
    }
}
