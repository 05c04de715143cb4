import StrictJSON

extension Report {
    /// One object with everything: machine, versions, figures in the order in which they were measured, and what is
    /// missing.
    var json: JSONValue {
        [
            "machine": [
                "processor": .string(machine.processor), "cores": .init(integerLiteral: Int64(machine.cores)),
                "memoryGB": .init(integerLiteral: Int64(machine.gigabytes)), "kernel": .string(machine.kernel),
                "load": .number(JSONNumber(text: Figure.decimal(machine.load, digits: 2))),
            ],
            "versions": .object(
                JSONObject(versions.map { JSONMember(name: $0.name, value: .string($0.version)) })),
            "quick": .bool(isQuick),
            "figures": .array(figures.map(\.json)),
            "notMeasured": .array(omissions.map { ["what": .string($0.what), "why": .string($0.why)] }),
        ]
    }
}

extension Figure {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "unit": .string(unit.rawValue),
            "runs": .init(integerLiteral: Int64(values.runs)), "median": Self.number(values.median),
            "lowerQuartile": Self.number(values.lower), "upperQuartile": Self.number(values.upper),
            "least": Self.number(values.least), "most": Self.number(values.most),
        ]
    }

    /// To a thousandth of the unit.
    private static func number(_ value: Double) -> JSONValue {
        .number(JSONNumber(text: decimal(value, digits: 3)))
    }
}
