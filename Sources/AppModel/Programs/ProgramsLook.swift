import Identity

/// A look at the requests of programs, repeated when they or the rules have changed: one at a time.
struct ProgramsLook: Equatable, Sendable {
    private(set) var request: RequestID
    private(set) var isWaiting = true
    private(set) var report: ProgramsReport?
    private let asksPrograms: Bool
    /// Whether something has changed since the last look began.
    private var isOutdated = false

    /// Perform ``effect`` right after.
    init(_ request: RequestID, asksPrograms: Bool) { (self.request, self.asksPrograms) = (request, asksPrograms) }

    var effect: Effect { .lookAtPrograms(request, asksPrograms: asksPrograms) }

    /// - Returns: whether to look again, with ``again(in:)``.
    mutating func receive(_ event: Event) -> Bool {
        switch event {
        case .reply(.programs(let report), _): receive(report)
        case .programsChanged, .storeChanged: isOutdated = true
        case .reply(.ended, _), .reply(.failed, _): isWaiting = false
        default: break
        }
        return isOutdated && !isWaiting
    }

    mutating func again(in context: Context) -> Effect {
        (request, isWaiting, isOutdated) = (context.nextRequest, true, false)
        return effect
    }

    /// The states arrive after the rest; until then the previous ones are kept.
    private mutating func receive(_ new: ProgramsReport) {
        let known = report?.states
        isWaiting = asksPrograms && new.states == nil
        report = new
        report?.states =
            new.states?.enumerated().sorted {
                ($0.element.kind.rawValue, $0.offset) < ($1.element.kind.rawValue, $1.offset)
            }.map(\.element) ?? known
    }

    func program(_ name: String, target: String) -> ProgramsReport.Program? {
        report?.programs.first { $0.name == name && $0.target == target }
    }
}
