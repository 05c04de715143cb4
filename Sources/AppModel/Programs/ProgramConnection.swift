/// Whether a program is set up to get its tokens from foyer.
package struct ProgramConnection: Equatable, Sendable {
    /// In the order of the list.
    package enum Kind: Int, Sendable { case setUp, half, overshadowed, notSetUp }

    package var name: String
    package var kind: Kind
    package var words: String
    /// The existing or missing parts; may be empty.
    package var detail: String
    /// Whether a change was made that can be undone.
    package var canBeTakenBack: Bool

    package init(_ name: String, _ kind: Kind, _ words: String, detail: String = "", canBeTakenBack: Bool = false) {
        self.name = name
        self.kind = kind
        self.words = words
        self.detail = detail
        self.canBeTakenBack = canBeTakenBack
    }

    var next: SetupDirection { kind == .setUp && canBeTakenBack ? .undo : .setUp }

    var sign: (Sign, Tone) {
        switch kind {
        case .setUp: (.full, .ok)
        case .half: (.half, .attention)
        case .overshadowed: (.warning, .attention)
        case .notSetUp: (.empty, .muted)
        }
    }
}
