/// The other organizations, users and applications: a B2C tenant with its policies, an External ID (CIAM) tenant, AD
/// FS, and a sovereign cloud.
extension Directory {
    package static let b2cTenant = Tenant(
        id: "b2c00000-0000-4000-8000-00000000b2c1", domain: "tailspin.example", name: "Tailspin Toys")
    package static let ciamTenant = Tenant(
        id: "c1a00000-0000-4000-8000-00000000c1a1", domain: "woodgrove.example", name: "Woodgrove Groceries")
    package static let sovereignTenant = Tenant(
        id: "50e00000-0000-4000-8000-0000000050e1", domain: "litware.example", name: "Litware")

    package static let b2cApp = "b2c11111-2222-4333-8444-555555555555"
    package static let adfsApp = "adf11111-2222-4333-8444-555555555555"
    package static let ciamApp = "c1a11111-2222-4333-8444-555555555555"

    /// The policies of the B2C tenant, with the administrator's spelling.
    package static let signInPolicy = "B2C_1_signin"
    package static let signUpPolicy = "B2C_1_signup"
    package static let editPolicy = "B2C_1_edit"
    package static let resetPolicy = "B2C_1_reset"
    package static let policies = [signInPolicy, signUpPolicy, editPolicy, resetPolicy]

    /// The only API that the B2C application may call, with two permissions.
    package static let b2cScopes = ["https://tailspin.example/notes/read", "https://tailspin.example/notes/write"]

    static let residents = [
        User(
            username: "rosalind@mail.example", name: "Rosalind Franklin", homeTenant: b2cTenant.id,
            objectIds: [b2cTenant.id: "405a0000-0000-4000-8000-000000000001"], home: .b2c),
        User(
            username: "lise@mail.example", name: "Lise Meitner", homeTenant: b2cTenant.id,
            objectIds: [b2cTenant.id: "115e0000-0000-4000-8000-000000000001"], home: .b2c),
        User(
            username: "chien@shop.example", name: "Chien-Shiung Wu", homeTenant: ciamTenant.id,
            objectIds: [ciamTenant.id: "c41e0000-0000-4000-8000-000000000001"], home: .ciam),
        User(
            username: "dorothy@shop.example", name: "Dorothy Hodgkin", homeTenant: ciamTenant.id,
            objectIds: [ciamTenant.id: "d0400000-0000-4000-8000-000000000001"], home: .ciam),
        User(username: "barbara@corp.example", name: "Barbara Liskov", homeTenant: nil, objectIds: [:], home: .adfs),
        User(username: "edsger@corp.example", name: "Edsger Dijkstra", homeTenant: nil, objectIds: [:], home: .adfs),
        User(
            username: "mary@litware.example", name: "Mary Jackson", homeTenant: sovereignTenant.id,
            objectIds: [sovereignTenant.id: "3a470000-0000-4000-8000-000000000001"], home: .sovereign),
        User(
            username: "dennis@litware.example", name: "Dennis Ritchie", homeTenant: sovereignTenant.id,
            objectIds: [sovereignTenant.id: "de000000-0000-4000-8000-000000000001"], home: .sovereign),
    ]

    static func policy(_ name: String) -> String? {
        let wanted = name.lowercased()
        return policies.first { $0.lowercased() == wanted }
    }
}
