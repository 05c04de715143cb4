// The scopes of Azure and related services. Most resources have a single delegated scope, and access depends on the
// user's roles.

extension ScopeMeaning {
    static let azure: [ScopeMeaning] =
        ["https://management.azure.com", "https://management.core.windows.net"].map {
            ScopeMeaning(
                $0, "user_impersonation", .critical,
                "acts in Azure with all your roles, including what costs money")
        } + [
            ScopeMeaning(
                "https://vault.azure.net", "user_impersonation", .critical,
                "reads and changes the keys and secrets that you may see"),
            ScopeMeaning(
                "https://storage.azure.com", "user_impersonation", .high,
                "reads and changes the storage that your roles allow"),
            ScopeMeaning(
                "https://database.windows.net", "user_impersonation", .high, "works in Azure SQL databases as you"),
            ScopeMeaning(
                "https://ossrdbms-aad.database.windows.net", "user_impersonation", .high,
                "works in PostgreSQL and MySQL databases as you"),
            ScopeMeaning(
                "https://servicebus.azure.net", "user_impersonation", .high, "sends and receives messages as you"),
            ScopeMeaning(
                "https://eventhubs.azure.net", "user_impersonation", .high, "sends and receives events as you"),
            ScopeMeaning("https://api.loganalytics.io", "data.read", .medium, "reads the logs that you may read"),
            ScopeMeaning("https://monitor.azure.com", "user_impersonation", .medium, "reads and writes metrics as you"),
            ScopeMeaning(
                "https://kusto.kusto.windows.net", "user_impersonation", .high, "queries data clusters as you"),
            ScopeMeaning(
                "https://datalake.azure.net", "user_impersonation", .high,
                "reads and changes the data lakes that you can access"),
            ScopeMeaning("https://cosmos.azure.com", "user_impersonation", .high, "reads and changes documents as you"),
            ScopeMeaning(
                "https://cognitiveservices.azure.com", "user_impersonation", .medium,
                "uses AI services as you, at your cost"),
            ScopeMeaning(
                "https://ml.azure.com", "user_impersonation", .high, "works in machine learning workspaces as you"),
            ScopeMeaning(
                "https://search.azure.com", "user_impersonation", .medium, "searches and changes indexes as you"),
            ScopeMeaning(
                "https://containerregistry.azure.net", "user_impersonation", .high, "pulls and pushes images as you"),
            ScopeMeaning("https://batch.core.windows.net", "user_impersonation", .high, "runs jobs as you"),
            ScopeMeaning("https://azconfig.io", "user_impersonation", .high, "reads and changes configuration as you"),
            ScopeMeaning("https://digitaltwins.azure.net", "read.write", .high, "reads and changes twins as you"),
            ScopeMeaning(
                "https://dev.azuresynapse.net", "user_impersonation", .high, "works in analytics workspaces as you"),
            ScopeMeaning(
                "https://outlook.office.com", "IMAP.AccessAsUser.All", .high, "reads and changes your mail over IMAP"),
            ScopeMeaning(
                "https://outlook.office.com", "POP.AccessAsUser.All", .high, "reads and deletes your mail over POP"),
            ScopeMeaning("https://outlook.office.com", "SMTP.Send", .high, "sends mail in your name over SMTP"),
            ScopeMeaning(
                "https://outlook.office365.com", "EWS.AccessAsUser.All", .high, "does anything in your mailbox"),
            ScopeMeaning(
                "https://analysis.windows.net/powerbi/api", "Report.Read.All", .medium,
                "reads every report that you can open"),
            ScopeMeaning(
                "https://analysis.windows.net/powerbi/api", "Dataset.Read.All", .medium,
                "reads every data set that you can open"),
            ScopeMeaning(
                "https://analysis.windows.net/powerbi/api", "Dataset.ReadWrite.All", .high,
                "changes every data set that you may change"),
            ScopeMeaning(
                "https://analysis.windows.net/powerbi/api", "Workspace.Read.All", .medium,
                "reads every workspace that you can open"),
            ScopeMeaning(
                "https://analysis.windows.net/powerbi/api", "Tenant.Read.All", .critical,
                "reads everything in the organization's Power BI"),
            ScopeMeaning("https://service.flow.microsoft.com", "Flows.Read.All", .medium, "reads your flows"),
            ScopeMeaning(
                "https://service.flow.microsoft.com", "Flows.Manage.All", .high,
                "creates, changes and runs flows as you"),
            ScopeMeaning(
                "499b84ac-1321-427f-aa17-267ca6975798", "user_impersonation", .high,
                "acts in Azure DevOps with all your rights: code, pipelines, work items"),
            ScopeMeaning(
                "499b84ac-1321-427f-aa17-267ca6975798", "vso.code", .medium, "reads the code that you can open"),
            ScopeMeaning(
                "499b84ac-1321-427f-aa17-267ca6975798", "vso.code_write", .high,
                "changes the code that you may change"),
            ScopeMeaning("499b84ac-1321-427f-aa17-267ca6975798", "vso.work", .medium, "reads work items"),
            ScopeMeaning("499b84ac-1321-427f-aa17-267ca6975798", "vso.build", .medium, "reads builds"),
            ScopeMeaning(
                "6dae42f8-4368-4678-94ff-3960e28e3630", "user.read", .high, "works in Kubernetes clusters as you"),
            ScopeMeaning(
                "https://graph.windows.net", "User.Read", .low,
                "signs you in and reads your own profile, through the retired Azure AD Graph"),
            ScopeMeaning(
                "https://graph.windows.net", "Directory.AccessAsUser.All", .critical,
                "acts in the directory with all your rights, through the retired Azure AD Graph", admin: true),
        ]
}
