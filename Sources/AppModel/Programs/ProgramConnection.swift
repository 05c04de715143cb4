/// How far a program is set up to ask foyer for its tokens.
package struct ProgramConnection: Equatable, Sendable {
    /// In the order of the list.
    package enum Kind: Int, Sendable { case setUp, half, overshadowed, notSetUp }

    /// Such as `git`.
    package var name: String
    package var kind: Kind
    /// The same for a person.
    package var words: String
    /// What is there, or what is missing; empty where there is nothing to say.
    package var detail: String
    /// Whether something was changed for it that can be taken back.
    package var canBeTakenBack: Bool

    package init(_ name: String, _ kind: Kind, _ words: String, detail: String = "", canBeTakenBack: Bool = false) {
        self.name = name
        self.kind = kind
        self.words = words
        self.detail = detail
        self.canBeTakenBack = canBeTakenBack
    }

    /// What is done about it by Enter.
    var next: SetupDirection { kind == .setUp && canBeTakenBack ? .takeBack : .setUp }

    var sign: (Sign, Tone) {
        switch kind {
        case .setUp: (.full, .ok)
        case .half: (.half, .attention)
        case .overshadowed: (.warning, .attention)
        case .notSetUp: (.empty, .muted)
        }
    }
}
