import Identity
import Keys

/// The clients to choose from in the sign-in form: those of the settings, then well-known ones.
struct ClientMenu: Feature {
    private let clients: [ConfiguredClient]
    private var cursor = ListCursor()
    var scroll = 0

    /// The well-known clients used on Linux.
    private static let mostKnown = 12

    /// - Parameter clientID: the client to select first.
    init(_ context: Context, selecting clientID: String) {
        let known = Client.wellKnown.prefix(Self.mostKnown).filter { context.client($0.id) == nil }
        clients =
            context.clients
            + known.map {
                ConfiguredClient(
                    name: $0.name, clientID: $0.id, authority: Authority.defaultAddress, isInSettings: false)
            }
        cursor.select(clients.firstIndex { $0.clientID == clientID } ?? 0, count: clients.count)
    }

    static func keyTables(_ tools: [KeyBinding]) -> [KeyTable] {
        [
            KeyTable(
                .clients, "Sign in: clients",
                [KeyBinding([.enter], .open, "choose", "use the client in the form")] + KeyBinding.scrolling
                    + KeyBinding.closing)
        ]
    }

    var keyContext: KeyContext { .clients }

    mutating func update(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .command(.open, _):
            guard clients.indices.contains(cursor.selected) else { return [.close] }
            return [.close, .announce(.clientChosen(clients[cursor.selected]))]
        case .command(.back, _): return [.close]
        case .select(let place): cursor.select(place, count: clients.count)
        case .command(let command, _):
            cursor.move(command, count: clients.count, page: clients.count)
            return [.showEntry]
        default: break
        }
        return []
    }

    func page(in context: Context) -> Page {
        Page(
            title: "Clients",
            addText: { block in
                let width = 2 + (clients.map(\.name.count).max() ?? 0)
                block.menu(
                    clients.map { ($0.name, $0.isInSettings ? "from your settings" : shortened($0.clientID)) },
                    nameWidth: width,
                    marked: cursor.selected)
            }, rowName: "client", marked: .place(cursor.selected))
    }
}
