/// Everything that was measured in one run.
struct Report {
    /// Something that was not measured.
    struct Omission: Equatable {
        let what: String
        let why: String
    }

    let machine: Machine
    let versions: [(name: String, version: String)]
    let isQuick: Bool
    private(set) var figures: [Figure] = []
    private(set) var omissions: [Omission] = []

    init(machine: Machine, versions: [(name: String, version: String)], isQuick: Bool) {
        self.machine = machine
        self.versions = versions
        self.isQuick = isQuick
    }

    subscript(id: String) -> Figure? { figures.first { $0.id == id } }

    /// Adds a figure, or, without a sample, that it is missing.
    mutating func add(_ id: String, _ name: String, _ unit: Figure.Unit, _ samples: [Double]?) {
        guard let values = Quartiles(of: samples ?? []) else { return leaveOut(name, "as it did not run") }
        figures.append(Figure(id: id, name: name, unit: unit, values: values))
    }

    /// Wall times, given in seconds.
    mutating func add(_ id: String, _ name: String, seconds: [Double]?) {
        add(id, name, .milliseconds, seconds?.map { $0 * 1000 })
    }

    /// Memory, given in bytes.
    mutating func add(_ id: String, _ name: String, bytes: [Double]?) {
        add(id, name, .megabytes, bytes?.map { $0 / 1e6 })
    }

    /// Counted instructions.
    mutating func add(_ id: String, _ name: String, instructions: [Double]?) {
        add(id, name, .megainstructions, instructions?.map { $0 / 1e6 })
    }

    /// How many times as much the median of the first samples is as that of the second, which come from the same turns;
    /// nothing when one of them is missing.
    mutating func addRatio(_ id: String, _ name: String, _ first: [Double]?, _ second: [Double]?) {
        guard let first = Quartiles(of: first ?? [])?.median, let second = Quartiles(of: second ?? [])?.median,
            second > 0
        else { return }
        add(id, name, .times, [first / second])
    }

    mutating func leaveOut(_ what: String, _ why: String) { omissions.append(Omission(what: what, why: why)) }
}
