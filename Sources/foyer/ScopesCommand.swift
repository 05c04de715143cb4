import ArgumentParser
import Identity
import StrictJSON
import TokenCache

struct ScopesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scopes", abstract: "What each client was granted, declined and asked for, per account and resource.")
    @OptionGroup var allStores: AllStoresOption
    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let session = try Session(shared.choices())
        let client = try session.clientIfAny(onlyIfNamed: true)
        var overviews = try session.readings(client, all: allStores.isOn).flatMap { store, snapshot in
            snapshot.overviews(clientID: client?.clientID).map { (store: store, overview: $0) }
        }
        if let named = session.shared.account {
            let account = try AccountChoice.find(named, amongStores: overviews.map(\.overview.account))
            overviews = overviews.filter {
                $0.overview.account.homeAccountID == account.homeAccountID
                    && Cloud.isSame($0.overview.account.environment, account.environment)
            }
        }
        let rows = overviews.flatMap { store, overview in Self.rows(overview, session, client).map { (store: store, row: $0) } }
        if session.output.json {
            session.output.result(JSONValue(("scopes", .array(rows.map { allStores.isOn ? $1.json.of(store: $0) : $1.json }))))
        } else {
            session.output.lines(
                Table((allStores.isOn ? ["STORE"] : []) + ["CLIENT", "ACCOUNT", "TENANT", "RESOURCE", "GRANTED", "DECLINED"]).lines(
                    rows.map { store, row in
                        let cells: [String] = [
                            session.clientName(row.clientID), row.username, row.realm, row.resource, row.granted.description,
                            row.declined.description,
                        ]
                        return allStores.isOn ? [store] + cells : cells
                    }))
        }
    }

    /// What one client holds of one account at one resource in one tenant.
    struct Row {
        var clientID: String
        var username: String
        var realm: String
        var resource: String
        /// The scopes of cached access tokens: consent itself is kept by the provider.
        var granted: ScopeSet
        /// What the settings or the command line ask for at this resource.
        var requested: ScopeSet
        var declined: ScopeSet { requested.declined(granted: granted) }

        var json: JSONValue {
            JSONValue(
                ("clientId", clientID.json), ("username", username.json), ("realm", realm.json), ("resource", resource.json),
                ("granted", granted.json), ("requested", requested.json), ("declined", declined.json))
        }
    }

    private static func rows(_ overview: AccountOverview, _ session: Session, _ client: ClientChoice?) -> [Row] {
        var rows: [Row] = []
        for token in overview.credentials where token.kind == .accessToken && (client == nil || token.clientID == client?.clientID) {
            let asked = session.askedFor(token.clientID)
            for (resource, granted) in token.scopes.byResource {
                if let place = rows.firstIndex(where: {
                    $0.clientID == token.clientID && $0.realm == token.realm && $0.resource == resource
                }) {
                    rows[place].granted = rows[place].granted.union(granted)
                } else {
                    let requested = asked.byResource.first { $0.resource == resource }?.scopes ?? []
                    rows.append(
                        Row(
                            clientID: token.clientID, username: overview.account.label, realm: token.realm, resource: resource,
                            granted: granted,
                            requested: requested))
                }
            }
        }
        return rows
    }
}

extension Session {
    /// The scopes that are asked for with a client: those of the command line, else the settings'.
    fileprivate func askedFor(_ clientID: String) -> ScopeSet {
        if !shared.scopes.isEmpty { return ScopeSet(shared.scopes) }
        return ScopeSet(settings.clients.first { $0.clientID == clientID }?.scopes ?? [])
    }
}
