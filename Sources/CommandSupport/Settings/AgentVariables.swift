import Identity

extension SettingsSection {
    private static let longestVariable = 100
    private static let mostVariables = 50

    /// `[agents]` with `variables`, the names of environment variables.
    func agentVariables() throws(Failure) -> [String] {
        let example = "variables = [\"MY_AGENT_SESSION\"]"
        guard let section = try section("agents", write: "[agents] and \(example)") else { return [] }
        try section.refuseUnknown(SettingsTable.agents)
        let names = try section.texts("variables")
        guard names.count <= Self.mostVariables, names.allSatisfy(Self.isVariable) else {
            throw section.wrong(
                "variables", "variables must be up to \(Self.mostVariables) names of environment variables",
                write: example)
        }
        return names
    }

    private static func isVariable(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= longestVariable else { return false }
        return !(0x30...0x39).contains(first)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
