/// A public client: an application that signs users in and holds their tokens.
package struct Client: Hashable, Sendable, Identifiable {
    package var id: String
    /// A word that `--client` accepts.
    package var name: String
    /// The vendor's name for it, with blanks; `--client` accepts it, too.
    package var title: String
    /// Whether it belongs to Microsoft's client family, whose members share refresh tokens.
    package var isFamily = false

    /// Microsoft's public clients that leave tokens on machines, those used on Linux first. Clients are marked as
    /// family members only if they are known to accept each other's refresh tokens.
    package static let wellKnown: [Client] = [
        Client(id: "04b07795-8ddb-461a-bbee-02f9e1bf7b46", name: "azure-cli", title: "Azure CLI", isFamily: true),
        Client(
            id: "1950a258-227b-4e31-a9cf-717495945fc2", name: "azure-powershell", title: "Azure PowerShell",
            isFamily: true),
        Client(
            id: "872cd9fa-d31f-45e0-9eab-6e460a02d1f1", name: "visual-studio", title: "Visual Studio", isFamily: true),
        Client(id: "aebc6443-996d-45c2-90f0-388ff96faa56", name: "vs-code", title: "VS Code"),
        Client(id: "80faf920-1908-4b52-b5ef-a8e7bedfc67a", name: "kubelogin", title: "kubelogin"),
        Client(id: "14d82eec-204b-4c2f-b7e8-296a70dab67e", name: "graph-powershell", title: "Graph PowerShell"),
        Client(id: "1b730954-1685-4b74-9bfd-dac224a7b894", name: "azure-ad-powershell", title: "Azure AD PowerShell"),
        Client(
            id: "fb78d390-0c51-40cd-8e17-fdbfab77341b", name: "exchange-online-powershell",
            title: "Exchange Online PowerShell"),
        Client(
            id: "a0c73c16-a7e3-4564-9a95-2bdf47383716", name: "exchange-online-remote-powershell",
            title: "Exchange Online remote PowerShell"),
        Client(
            id: "9bc3ab49-b65d-410a-85ad-de819febfddc", name: "sharepoint-online-powershell",
            title: "SharePoint Online PowerShell"),
        Client(id: "12128f48-ec9e-42f0-b203-ea49fb6af367", name: "teams-powershell", title: "Teams PowerShell"),
        Client(
            id: "90f610bf-206d-4950-b61d-37fa6fd1b224", name: "rights-management-powershell",
            title: "Rights Management PowerShell"),
        Client(id: "de8bc8b5-d9f9-48b1-a8ad-b748da725064", name: "graph-explorer", title: "Graph Explorer"),
        Client(
            id: "29d9ed98-a469-4536-ade2-f981bc1d605e", name: "authentication-broker", title: "Authentication Broker"),
        Client(id: "dd762716-544d-4aeb-a526-687b73838a22", name: "device-registration", title: "Device Registration"),
        Client(id: "fc0f3af4-6835-4174-b806-f7db311fd2f3", name: "intune-windows-agent", title: "Intune Windows Agent"),
        Client(id: "cb1056e2-e479-49de-ae31-7812af012ed8", name: "entra-connect", title: "Entra Connect"),
        Client(id: "a672d62c-fc7b-4e81-a576-e60dc46e951d", name: "power-query", title: "Power Query"),
        Client(
            id: "cf710c6e-dfcc-4fa8-a093-d47294e44c66", name: "azure-analysis-services",
            title: "Azure Analysis Services"),
        Client(id: "dae89220-69ba-4957-a77a-47b78695e883", name: "universal-print", title: "Universal Print"),
        Client(id: "1fec8e78-bce4-4aaf-ab1b-5451cc387264", name: "teams", title: "Teams", isFamily: true),
        Client(
            id: "87749df4-7ccf-48f8-aa87-704bad0e0e16", name: "teams-device-admin-agent",
            title: "Teams device admin agent", isFamily: true),
        Client(id: "d3590ed6-52b3-4102-aeff-aad2292ab01c", name: "office", title: "Office", isFamily: true),
        Client(
            id: "0ec893e0-5785-4de6-99da-4ed124e5296c", name: "office-web-app", title: "Office web app",
            isFamily: true),
        Client(
            id: "00b41c95-dab0-4487-9791-b9d2c32c80f2", name: "office-365-management", title: "Office 365 Management",
            isFamily: true),
        Client(
            id: "27922004-5251-4030-b22d-91ecd9a37ea4", name: "outlook-mobile", title: "Outlook Mobile",
            isFamily: true),
        Client(id: "e9b154d0-7658-433b-bb25-6b8e0a8a7c59", name: "outlook-lite", title: "Outlook Lite", isFamily: true),
        Client(id: "b26aadf8-566f-4478-926f-589f601d9c74", name: "onedrive", title: "OneDrive", isFamily: true),
        Client(
            id: "ab9b8c07-8f02-4f72-87fa-80105867a763", name: "onedrive-sync", title: "OneDrive sync", isFamily: true),
        Client(id: "af124e86-4e96-495a-b70a-90f90ab96707", name: "onedrive-ios", title: "OneDrive iOS", isFamily: true),
        Client(id: "ecd6b820-32c2-49b6-98a6-444530e5a77a", name: "edge", title: "Edge", isFamily: true),
        Client(id: "e9c51622-460d-4d3d-952d-966a5b1da34c", name: "edge-2", title: "Edge (2)", isFamily: true),
        Client(id: "f44b1140-bc5e-48c6-8dc0-5cf5a53c0e34", name: "edge-3", title: "Edge (3)", isFamily: true),
        Client(
            id: "d7b530a4-7680-4c23-a8bf-c52c121d2e87", name: "edge-new-tab-page", title: "Edge new tab page",
            isFamily: true),
        Client(id: "cf36b471-5b44-428c-9ce7-313bf84528de", name: "bing-search", title: "Bing Search", isFamily: true),
        Client(
            id: "2d7f3606-b07d-41d1-b9d2-0d0c9296a6e8", name: "bing-search-for-edge", title: "Bing Search for Edge",
            isFamily: true),
        Client(
            id: "26a7ee05-5602-4d76-a7ba-eae8b7b67941", name: "windows-search", title: "Windows Search",
            isFamily: true),
        Client(id: "c0d2a505-13b8-4ae0-aa9e-cddd5eab0b12", name: "power-bi", title: "Power BI", isFamily: true),
        Client(
            id: "9ba1a5c7-f17a-4de9-a1f1-6178c8d51223", name: "company-portal", title: "Company Portal",
            isFamily: true),
        Client(
            id: "4813382a-8fa7-425e-ab75-3b753aab3abb", name: "authenticator", title: "Authenticator", isFamily: true),
        Client(id: "66375f6b-983f-4c2c-9701-d680650f588f", name: "planner", title: "Planner", isFamily: true),
        Client(id: "d326c1ce-6cc6-4de2-bebc-4591e5e13ef0", name: "sharepoint", title: "SharePoint", isFamily: true),
        Client(
            id: "f05ff7c9-f75a-4acd-a3b5-f4b6a870245d", name: "sharepoint-android", title: "SharePoint Android",
            isFamily: true),
        Client(id: "22098786-6e16-43cc-a27d-191a01a1e3b5", name: "to-do", title: "To Do", isFamily: true),
        Client(
            id: "57fcbcfa-7cee-4eb1-8b25-12d2030b4ee0", name: "power-automate", title: "Power Automate",
            isFamily: true),
        Client(id: "4e291c71-d680-4d0e-9640-0a3358e31177", name: "power-apps", title: "Power Apps", isFamily: true),
        Client(id: "844cca35-0656-46ce-b636-13f48b0eecbd", name: "stream", title: "Stream", isFamily: true),
        Client(id: "57336123-6e14-4acc-8dcf-287b6088aa28", name: "whiteboard", title: "Whiteboard", isFamily: true),
        Client(
            id: "a569458c-7f2b-45cb-bab9-b7dee514d112", name: "yammer-iphone", title: "Yammer iPhone", isFamily: true),
        Client(
            id: "be1918be-3fe3-4be9-b32b-b542fc27f02e", name: "compliance-drive", title: "Compliance Drive",
            isFamily: true),
        Client(id: "cab96880-db5b-4e15-90a7-f3f1d62ffe39", name: "defender", title: "Defender", isFamily: true),
        Client(
            id: "dd47d17a-3194-4d86-bfd5-c6ae6f5651e3", name: "defender-mobile", title: "Defender Mobile",
            isFamily: true),
    ]

    /// The well-known client with this identifier, name or title, compared case-insensitively.
    package static func wellKnown(_ nameOrID: String) -> Client? {
        let wanted = nameOrID.asciiLowercased
        // Names never look like identifiers, and comparing each title costs a copy. A search costs less than to hash
        // them all once.
        if wanted.isGUID { return wellKnown.first { $0.id == wanted } }
        return wellKnown.first { $0.name == wanted } ?? wellKnown.first { $0.title.asciiLowercased == wanted }
    }

    /// The name to show to a user: a well-known client's title, unless it is known by another name.
    package static func shownName(_ name: String, of id: String) -> String {
        guard let known = wellKnown.first(where: { $0.name == name }), known.id == id.asciiLowercased else {
            return name
        }
        return known.title
    }

    /// Whether two names are one, or name the same well-known client: an earlier version used titles as names.
    package static func isSameName(_ one: String?, _ other: String?) -> Bool {
        guard one != other, let one, let other else { return one == other }
        return wellKnown(one).map { $0.id == wellKnown(other)?.id } ?? false
    }

    /// The name under which a new client is saved: the well-known one or its provider's host, with a number if it is
    /// taken.
    package static func name(_ id: String, at provider: WebAddress, notIn taken: Set<String>) -> String {
        let usual = wellKnown(id)?.name ?? provider.host
        return ([usual] + (2...99).map { "\(usual)-\($0)" }).first { !taken.contains($0) } ?? usual
    }
}
