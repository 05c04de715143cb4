import Identity
import Keys

/// The token stores on this machine: which exist, which are usable, and what the user allows.
struct StoresPage: ListPage {
    private var id: RequestID
    private(set) var isWaiting = true
    /// In search order, foyer's own first.
    private(set) var lines: [StoreLine] = []
    /// By name; the first row until one is selected.
    var chosen = ChosenRow<String>()
    private var showsAbsent = false
    var scroll = 0

    init(_ id: RequestID) { self.id = id }

    static let binding = KeyBinding(
        [.character("W")], .stores, "", "token stores; on this machine, and which are used")

    static func opened(in context: Context) -> (StoresPage, [Action]) {
        (StoresPage(context.nextRequest), [.perform(.findStores(context.nextRequest))])
    }

    private static let permissions = [
        KeyBinding([.character(" ")], .showInPicker, "show", "show or hide its accounts in the list"),
        KeyBinding([.character("w")], .allowWriting, "writing", "allow or forbid changes"),
    ]
    static let keys = (
        list: KeyTable(
            .stores, "Stores",
            [
                .opening("details", "show details"),
                KeyBinding([.character("m")], .more, "more", "show or hide stores that do not exist"),
                KeyBinding([.character("r")], .reload, "again", "reload"),
            ] + permissions),
        row: KeyTable(.storeDetails, "One store", permissions)
    )
    var underWay: RequestID? { isWaiting ? id : nil }

    var shown: [StoreLine] { lines.filter { showsAbsent || $0.isOwn || $0.state != .absent } }

    var marked: StoreLine? {
        let shown = shown
        return shown.isEmpty ? nil : shown[chosen.place(in: shown.map(\.name))]
    }

    func offers(_ command: Command, in context: Context) -> Bool {
        switch command {
        case .open: marked != nil
        case .reload: !isWaiting
        case .showInPicker, .allowWriting: !isWaiting && marked.map { !$0.isOwn } ?? false
        default: true
        }
    }

    func rowIDs(in context: Context) -> [String] { shown.map(\.name) }

    mutating func receive(_ event: Event, in context: Context) -> [Action] {
        switch event {
        case .reply(.stores(let lines), _):
            self.lines = lines
            isWaiting = false
        case .reply(.failed, _): isWaiting = false
        default: break
        }
        return []
    }

    mutating func perform(_ command: Command, in context: Context) -> [Action] {
        switch command {
        case .more: showsAbsent.toggle()
        case .reload: return [.perform(.findStores(wait(in: context))), .perform(.load)]
        case .allowWriting, .showInPicker:
            guard let store = marked, !store.isOwn else { return [] }
            let change: StoreChange = command == .allowWriting ? .write(!store.isWritable) : .hidden(!store.isHidden)
            return [.perform(.keepStore(store.name, change, wait(in: context)))]
        default: return performInList(command, in: context)
        }
        return []
    }

    private mutating func wait(in context: Context) -> RequestID {
        id = context.nextRequest
        isWaiting = true
        return id
    }

    private func copyables(in context: Context) -> [Copyable] {
        guard let marked else { return [] }
        return [
            Copyable("path", marked.place), Copyable("name in the settings", marked.name), pageReport(in: context),
        ]
    }

    // MARK: What it shows

    func content(in context: Context) -> Page {
        let more = lines.count - shown.count
        return Page(
            title: "Token stores" + (isWaiting ? ", loading" : more > 0 ? ", \(more) not found" : ""),
            tab: .stores, addText: { addText(in: context, to: &$0) }, table: { table },
            rows: { shown.map { [$0.name, $0.program, $0.state.rawValue, $0.place].joined(by: ", ") } },
            rowName: "store", copyables: { copyables(in: context) })
    }

    private var table: ListTable {
        ListTable(
            [.flexible("store"), "state", .spare("access"), .spare("accounts")], cause: "found",
            shown.map { store in
                let access = store.state == .absent ? "" : store.isWritable ? "read, write" : "read-only"
                return ListTable.Row(
                    store.state.sign,
                    [
                        TextSpan(store.isOwn ? "foyer's own" : store.program),
                        TextSpan(store.state.rawValue, store.state.sign.1), TextSpan(access, .muted),
                        TextSpan(store.state == .usable ? String(store.accounts) : "", .muted),
                    ], cause: (store.isHidden ? "hidden; " : "") + (store.findings.first ?? store.place))
            })
    }

    /// One store: its location, its state with the reason, and what is allowed.
    private func addText(in context: Context, to block: inout TextBlock) {
        guard let store = marked else { return block.text(isWaiting ? "loading" : "cannot load", .muted) }
        let title = store.isOwn ? "foyer's own store" : store.program
        block.item(store.state.sign, "\(title): \(store.state.rawValue)", .emphasis)
        block.field("name", store.name)
        block.field("place", store.place)
        if let badge = store.badge { block.field("format", badge) }
        if store.state == .usable {
            block.field("contains", counted(store.accounts, "account") + ", " + counted(store.tokens, "token"))
        }
        for remark in store.findings {
            block.item(
                store.state == .refused ? .warning : .bullet, store.state == .refused ? .attention : .muted, remark)
        }
        block.blank()
        guard !store.isOwn else {
            return block.text("new sign-ins are saved here", .muted)
        }
        block.item(
            .checkbox(!store.isHidden), store.isHidden ? .muted : .emphasis,
            "\(context.name(of: .showInPicker, at: keyContext)): show its accounts in the list")
        block.item(
            .checkbox(store.isWritable), store.isWritable ? .emphasis : .muted,
            "\(context.name(of: .allowWriting, at: keyContext)): allow changes")
        block.text(
            store.isWritable
                ? "each removal asks first and works as in \(store.program)"
                : "read-only: foyer never changes it", .muted, indent: 2)
    }
}

extension StoreLine.State {
    package var sign: (Sign, Tone) {
        switch self {
        case .usable: (.check, .ok)
        case .empty: (.empty, .muted)
        case .absent: (.separator, .muted)
        case .protected: (.half, .info)
        case .refused: (.cross, .danger)
        }
    }
}
