/// A public client: an application that signs people in and holds their tokens.
public struct Client: Hashable, Sendable, Identifiable {
    public var id: String
    /// The name in the settings, or the well-known application's.
    public var name: String
    /// Whether it belongs to Microsoft's family, whose refresh tokens serve each member.
    public var isFamily: Bool

    public init(id: String, name: String, isFamily: Bool = false) {
        self.id = id
        self.name = name
        self.isFamily = isFamily
    }

    /// Public clients of Microsoft that leave tokens on Linux machines; identifiers are facts of the field.
    public static let wellKnown: [Client] = [
        Client(id: "04b07795-8ddb-461a-bbee-02f9e1bf7b46", name: "Azure CLI", isFamily: true),
        Client(id: "1950a258-227b-4e31-a9cf-717495945fc2", name: "Azure PowerShell", isFamily: true),
        Client(id: "872cd9fa-d31f-45e0-9eab-6e460a02d1f1", name: "Visual Studio", isFamily: true),
        Client(id: "aebc6443-996d-45c2-90f0-388ff96faa56", name: "VS Code"),
        Client(id: "80faf920-1908-4b52-b5ef-a8e7bedfc67a", name: "kubelogin"),
        Client(id: "1fec8e78-bce4-4aaf-ab1b-5451cc387264", name: "Teams", isFamily: true),
        Client(id: "d3590ed6-52b3-4102-aeff-aad2292ab01c", name: "Office", isFamily: true),
        Client(id: "27922004-5251-4030-b22d-91ecd9a37ea4", name: "Outlook Mobile", isFamily: true),
        Client(id: "b26aadf8-566f-4478-926f-589f601d9c74", name: "OneDrive", isFamily: true),
        Client(id: "ab9b8c07-8f02-4f72-87fa-80105867a763", name: "OneDrive sync", isFamily: true),
        Client(id: "ecd6b820-32c2-49b6-98a6-444530e5a77a", name: "Edge", isFamily: true),
        Client(id: "c0d2a505-13b8-4ae0-aa9e-cddd5eab0b12", name: "Power BI", isFamily: true),
        Client(id: "9ba1a5c7-f17a-4de9-a1f1-6178c8d51223", name: "Company Portal", isFamily: true),
        Client(id: "4813382a-8fa7-425e-ab75-3b753aab3abb", name: "Authenticator", isFamily: true),
        Client(id: "66375f6b-983f-4c2c-9701-d680650f588f", name: "Planner", isFamily: true),
        Client(id: "d326c1ce-6cc6-4de2-bebc-4591e5e13ef0", name: "SharePoint", isFamily: true),
        Client(id: "22098786-6e16-43cc-a27d-191a01a1e3b5", name: "To Do", isFamily: true),
        Client(id: "57fcbcfa-7cee-4eb1-8b25-12d2030b4ee0", name: "Power Automate", isFamily: true),
        Client(id: "4e291c71-d680-4d0e-9640-0a3358e31177", name: "Power Apps", isFamily: true),
        Client(id: "844cca35-0656-46ce-b636-13f48b0eecbd", name: "Stream", isFamily: true),
        Client(id: "cab96880-db5b-4e15-90a7-f3f1d62ffe39", name: "Defender", isFamily: true),
    ]

    /// The well-known client of this identifier or of this name, without regard to case.
    public static func wellKnown(_ nameOrID: String) -> Client? {
        let wanted = nameOrID.asciiLowercased
        return wellKnown.first { $0.id == wanted || $0.name.asciiLowercased == wanted }
    }
}
