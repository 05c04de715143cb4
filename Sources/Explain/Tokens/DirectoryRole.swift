import Identity

/// An Entra ID directory role, by template ID, which is the same in every tenant. Tokens list them in `wids`.
struct DirectoryRole {
    let name: String
    let risk: ScopeMeaning.Risk
    /// Lower case, without a final period.
    let sentence: String

    private init(_ name: String, _ risk: ScopeMeaning.Risk, _ sentence: String) {
        (self.name, self.risk, self.sentence) = (name, risk, sentence)
    }

    /// - Returns: nil for an unknown role: a custom or insignificant one.
    static func of(_ template: String) -> DirectoryRole? { table[template.asciiLowercased] }

    private static let table: [String: DirectoryRole] = [
        "62e90394-69f5-4237-9190-012177145e10": DirectoryRole(
            "Global Administrator", .critical, "does everything in the tenant"),
        "e8611ab8-c189-46e8-94e1-60213ab1f814": DirectoryRole(
            "Privileged Role Administrator", .critical, "assigns any role to anyone"),
        "7be44c8a-adaf-4e2a-84d6-ab2649e08a13": DirectoryRole(
            "Privileged Authentication Administrator", .critical, "resets anyone's credentials"),
        "9b895d92-2cd3-44c7-9d02-a6ac2d5ea5c3": DirectoryRole(
            "Application Administrator", .critical, "adds credentials to applications, consents to permissions"),
        "158c047a-c907-4556-b7ef-446551a6b5f7": DirectoryRole(
            "Cloud Application Administrator", .critical, "adds credentials to applications, consents to permissions"),
        "8ac3fc64-6eca-42ea-9e69-59f4c7b60eb2": DirectoryRole(
            "Hybrid Identity Administrator", .critical, "changes federation and synchronization"),
        "8329153b-31d0-4727-b945-745eb3bc5f31": DirectoryRole(
            "Domain Name Administrator", .critical, "changes the tenant's domains and their federation"),
        "be2f45a1-457d-42af-a067-6ec1fa63bc45": DirectoryRole(
            "External Identity Provider Administrator", .critical, "manages external identity providers"),
        "e00e864a-17c5-4a4b-9c06-f5b95a8d5bd8": DirectoryRole(
            "Partner Tier2 Support", .critical, "resets anyone's credentials"),
        "d29b2b05-8046-44ba-8758-1e26182fcf32": DirectoryRole(
            "Directory Synchronization Accounts", .critical, "writes synchronized data to the directory"),
        "194ae4cb-b126-40b2-bd5b-6091b380977d": DirectoryRole(
            "Security Administrator", .critical, "changes security policies"),
        "b1be1c3e-b65d-4f19-8427-f6fa0d97feb9": DirectoryRole(
            "Conditional Access Administrator", .critical, "changes who may sign in, and how"),
        "fe930be7-5e62-47db-91af-98c3a49a38b1": DirectoryRole(
            "User Administrator", .critical, "creates and deletes users, resets passwords"),
        "c4e39bd9-1100-46d3-8c65-fb160da0071f": DirectoryRole(
            "Authentication Administrator", .critical, "resets the credentials of non-administrators"),
        "0526716b-113d-4c15-b2c8-68e3c22b9f80": DirectoryRole(
            "Authentication Policy Administrator", .critical, "changes how people may sign in"),
        "3a2c62db-5318-420d-8d74-23affee5d9d5": DirectoryRole(
            "Intune Administrator", .critical, "runs code on managed devices"),
        "29232cdf-9323-42fd-ade2-1d097af3e4de": DirectoryRole(
            "Exchange Administrator", .critical, "reads and changes every mailbox"),
        "f28a1f50-f6e7-4571-818b-6a12f2af6b6c": DirectoryRole(
            "SharePoint Administrator", .critical, "reads and changes every site and file"),
        "45d8d3c5-c802-45c6-b32a-1d70b5e1e86e": DirectoryRole(
            "Identity Governance Administrator", .critical, "manages access reviews and packages"),
        "9360feb5-f418-4baa-8175-e2a00bac4301": DirectoryRole(
            "Directory Writers", .high, "writes basic directory data"),
        "fdd7a751-b60b-444a-984c-02652fe8fa1c": DirectoryRole(
            "Groups Administrator", .high, "creates, changes and deletes groups"),
        "69091246-20e8-4a56-aa4d-066075b2a7a8": DirectoryRole(
            "Teams Administrator", .high, "manages Teams"),
        "729827e3-9c14-49f7-bb1b-9608f156bbb8": DirectoryRole(
            "Helpdesk Administrator", .high, "resets passwords of non-administrators"),
        "966707d0-3269-4727-9be2-8c3a10f19b9d": DirectoryRole(
            "Password Administrator", .high, "resets passwords of non-administrators"),
        "b0f54661-2d74-4c50-afa3-1ec803f12efe": DirectoryRole(
            "Billing Administrator", .high, "buys and manages subscriptions"),
        "44367163-eba1-44c3-98af-f5787879f96a": DirectoryRole(
            "Dynamics 365 Administrator", .high, "manages Dynamics 365"),
        "7698a772-787b-4ac8-901f-60d6b08affd2": DirectoryRole(
            "Cloud Device Administrator", .high, "enables, disables and deletes devices"),
        "9f06204d-73c1-4d4c-880a-6edb90606fd8": DirectoryRole(
            "Device Local Administrator", .high, "administers every joined device"),
        "f2ef992c-3afb-46b9-b7cf-a126ee74c451": DirectoryRole(
            "Global Reader", .high, "reads everything that an administrator can see"),
        "5d6b6bb7-de71-4623-b4af-96380a352509": DirectoryRole(
            "Security Reader", .high, "reads security reports and policies"),
        "95e79109-95c0-4d8e-aee3-d01accf2d47b": DirectoryRole(
            "Guest Inviter", .medium, "invites guests"),
        "cf1c38e5-3621-4004-a7cb-879624dced7c": DirectoryRole(
            "Application Developer", .medium, "registers applications"),
        "4a5d8f65-41da-4de4-8968-e035b65339cf": DirectoryRole(
            "Reports Reader", .medium, "reads sign-in logs and usage reports"),
        "88d8e3e3-8f55-4a1e-953a-9b9898b8876b": DirectoryRole(
            "Directory Readers", .low, "reads basic directory data"),
        "790c1fb9-7f7d-4f88-86a1-ef1f95c05c1b": DirectoryRole(
            "Message Center Reader", .low, "reads announcements"),
        "b79fbf4d-3ef9-4689-8143-76b194e85509": DirectoryRole("User", .low, "an ordinary member of the tenant"),
    ]
}
