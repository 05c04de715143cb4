import Identity

extension SettingsSection {
    func brokerUse() throws(Failure) -> BrokerUse {
        guard let section = try section("broker", write: "[broker] and use = \"device\"") else { return .never }
        try section.refuseUnknown(SettingsTable.broker)
        return try section.word("use", "broker use", write: "use = \"never\", \"device\" or \"always\"") ?? .never
    }
}
