// What Microsoft Graph's delegated permissions mean, in words of our own. Names are facts of the field; Graph's
// reference lists them.

extension ScopeMeaning {
    private static func graph(_ name: String, _ risk: Risk, _ sentence: String, admin: Bool = false) -> ScopeMeaning {
        ScopeMeaning(graph, name, risk, sentence, admin: admin)
    }

    /// People, groups and how they work together.
    static let graphPeople: [ScopeMeaning] = [
        graph("User.Read", .low, "signs you in and reads your own profile"),
        graph("User.ReadWrite", .high, "reads and changes your own profile"),
        graph("User.ReadBasic.All", .low, "reads the names and addresses of everybody in the organization"),
        graph("User.Read.All", .medium, "reads the whole profile of everybody in the organization", admin: true),
        graph("User.ReadWrite.All", .critical, "changes everybody's profile, makes and deletes people", admin: true),
        graph("User.Invite.All", .high, "invites guests into the organization", admin: true),
        graph("User.Export.All", .high, "exports the data of any person", admin: true),
        graph("User.ManageIdentities.All", .critical, "changes the identities by which people sign in", admin: true),
        graph("User.EnableDisableAccount.All", .critical, "switches the accounts of people on and off", admin: true),
        graph("UserActivity.ReadWrite.CreatedByApp", .low, "keeps its own notes of what you did in the program"),
        graph("UserNotification.ReadWrite.CreatedByApp", .low, "sends you its own notifications"),
        graph("UserAuthenticationMethod.Read", .medium, "reads which methods you sign in with"),
        graph(
            "UserAuthenticationMethod.ReadWrite", .critical, "changes the methods that you sign in with", admin: true),
        graph(
            "UserAuthenticationMethod.Read.All", .high, "reads the sign-in methods of everybody you may administer",
            admin: true),
        graph(
            "UserAuthenticationMethod.ReadWrite.All", .critical,
            "changes the sign-in methods of everybody you may administer", admin: true),
        graph("People.Read", .medium, "reads whom you work with, and how often"),
        graph("People.Read.All", .high, "reads who works with whom in the organization", admin: true),
        graph("Presence.Read", .low, "reads whether you are available"),
        graph("Presence.Read.All", .medium, "reads whether anybody in the organization is available"),
        graph("Presence.ReadWrite", .medium, "sets whether you appear as available"),
        graph("Contacts.Read", .medium, "reads your contacts"),
        graph("Contacts.ReadWrite", .high, "reads, changes and deletes your contacts"),
        graph("Contacts.Read.Shared", .high, "reads the contacts that others share with you"),
        graph(
            "Group.Read.All", .high, "reads every group that you can see, with its conversations and files", admin: true
        ),
        graph("Group.ReadWrite.All", .critical, "makes, changes and deletes groups and their content", admin: true),
        graph("GroupMember.Read.All", .medium, "reads who is in which group", admin: true),
        graph("GroupMember.ReadWrite.All", .critical, "puts people into groups and takes them out", admin: true),
        graph("Member.Read.Hidden", .high, "reads the members that groups hide", admin: true),
        graph("Team.ReadBasic.All", .low, "reads the names of the teams that you are in"),
        graph("Team.Create", .medium, "makes teams in your name"),
        graph("TeamSettings.Read.All", .medium, "reads the settings of your teams", admin: true),
        graph("TeamSettings.ReadWrite.All", .high, "changes the settings of your teams", admin: true),
        graph("TeamMember.Read.All", .medium, "reads who is in your teams", admin: true),
        graph("TeamMember.ReadWrite.All", .high, "puts people into your teams and takes them out", admin: true),
        graph("Channel.ReadBasic.All", .low, "reads the names of the channels of your teams"),
        graph("Channel.Create", .medium, "makes channels in your teams", admin: true),
        graph("ChannelMessage.Read.All", .high, "reads the messages in the channels of your teams", admin: true),
        graph("ChannelMessage.Send", .high, "writes messages in channels in your name"),
        graph("Chat.Read", .medium, "reads your chats"),
        graph("Chat.ReadBasic", .medium, "reads with whom you chat, not what"),
        graph("Chat.ReadWrite", .high, "reads your chats and writes in them in your name"),
        graph("Chat.Create", .medium, "begins chats in your name"),
        graph("ChatMessage.Send", .high, "writes chat messages in your name"),
        graph("OnlineMeetings.Read", .medium, "reads your online meetings"),
        graph("OnlineMeetings.ReadWrite", .high, "makes and changes online meetings in your name"),
        graph("OnlineMeetingTranscript.Read.All", .high, "reads the transcripts of your online meetings", admin: true),
        graph("Calls.Initiate.All", .high, "places calls from the program", admin: true),
    ]

    /// Mail, calendars, files, notes, tasks, sites.
    static let graphContent: [ScopeMeaning] = [
        graph("Mail.Read", .medium, "reads your mail"),
        graph("Mail.ReadBasic", .medium, "reads who wrote to you and about what, without the text"),
        graph("Mail.ReadWrite", .high, "reads, changes and deletes your mail, but does not send"),
        graph("Mail.Send", .high, "sends mail in your name"),
        graph("Mail.Read.Shared", .high, "reads mail that others share with you"),
        graph("Mail.ReadWrite.Shared", .high, "changes and deletes mail that others share with you"),
        graph("Mail.Send.Shared", .high, "sends mail for those who let you"),
        graph("MailboxSettings.Read", .medium, "reads your mailbox settings, such as the time zone and rules"),
        graph("MailboxSettings.ReadWrite", .high, "changes your mailbox settings, such as automatic answers and rules"),
        graph("IMAP.AccessAsUser.All", .high, "reads and changes your mail over IMAP"),
        graph("POP.AccessAsUser.All", .high, "reads and deletes your mail over POP"),
        graph("SMTP.Send", .high, "sends mail in your name over SMTP"),
        graph("EWS.AccessAsUser.All", .high, "does anything in your mailbox through Exchange Web Services"),
        graph("Calendars.Read", .medium, "reads your calendars"),
        graph("Calendars.ReadBasic", .low, "reads when you are busy, without what it is about"),
        graph("Calendars.ReadWrite", .high, "makes, changes and deletes events in your calendars"),
        graph("Calendars.Read.Shared", .high, "reads the calendars that you may see"),
        graph("Calendars.ReadWrite.Shared", .high, "changes the calendars that you may change"),
        graph("Files.Read", .medium, "reads your own files"),
        graph("Files.Read.All", .high, "reads every file that you can open"),
        graph("Files.ReadWrite", .high, "changes and deletes your own files"),
        graph("Files.ReadWrite.All", .high, "changes and deletes every file that you can open"),
        graph("Files.Read.Selected", .low, "reads the files that you pick"),
        graph("Files.ReadWrite.AppFolder", .low, "keeps files in a folder of its own in your drive"),
        graph("Files.ReadWrite.Selected", .medium, "changes the files that you pick"),
        graph("Sites.Read.All", .high, "reads every SharePoint site that you can open"),
        graph("Sites.ReadWrite.All", .high, "changes and deletes content in every SharePoint site that you can change"),
        graph("Sites.Manage.All", .critical, "makes and deletes lists and libraries in your SharePoint sites"),
        graph(
            "Sites.FullControl.All", .critical, "does anything in every SharePoint site that you may administer",
            admin: true),
        graph("Sites.Selected", .medium, "reaches the SharePoint sites that an administrator names", admin: true),
        graph("Notes.Read", .medium, "reads your notebooks"),
        graph("Notes.Create", .medium, "makes pages in your notebooks"),
        graph("Notes.ReadWrite", .high, "reads and changes your notebooks"),
        graph("Notes.Read.All", .high, "reads every notebook that you can open"),
        graph("Notes.ReadWrite.All", .high, "changes every notebook that you can open"),
        graph("Tasks.Read", .medium, "reads your tasks"),
        graph("Tasks.ReadWrite", .high, "makes, changes and deletes your tasks"),
        graph("Tasks.Read.Shared", .medium, "reads the tasks that others share with you"),
        graph("Tasks.ReadWrite.Shared", .high, "changes the tasks that others share with you"),
        graph("Bookings.Read.All", .medium, "reads the bookings that you may see"),
        graph("Bookings.ReadWrite.All", .high, "changes the bookings that you may change"),
        graph("Printer.Read.All", .low, "reads which printers there are", admin: true),
        graph("PrintJob.ReadWrite", .medium, "prints in your name"),
        graph(
            "ExternalItem.Read.All", .medium, "reads what other systems put into the organization's search", admin: true
        ),
        graph("SearchConfiguration.Read.All", .low, "reads how the organization's search is set up", admin: true),
        graph("InformationProtectionPolicy.Read", .low, "reads which sensitivity labels you may use"),
    ]

    /// What administrators do.
    static let graphAdministration: [ScopeMeaning] = [
        graph(
            "Directory.Read.All", .high, "reads the whole directory: people, groups, applications, roles", admin: true),
        graph("Directory.ReadWrite.All", .critical, "changes nearly everything in the directory", admin: true),
        graph(
            "Directory.AccessAsUser.All", .critical, "does in the directory whatever you may do yourself", admin: true),
        graph("Application.Read.All", .medium, "reads the registered applications", admin: true),
        graph(
            "Application.ReadWrite.All", .critical, "registers and changes applications, their secrets too", admin: true
        ),
        graph(
            "AppRoleAssignment.ReadWrite.All", .critical, "gives permissions to applications, also to itself",
            admin: true),
        graph("DelegatedPermissionGrant.ReadWrite.All", .critical, "consents for everybody", admin: true),
        graph("DelegatedPermissionGrant.Read.All", .medium, "reads what was consented to", admin: true),
        graph("RoleManagement.Read.All", .medium, "reads who has which role", admin: true),
        graph("RoleManagement.Read.Directory", .medium, "reads who has which directory role", admin: true),
        graph(
            "RoleManagement.ReadWrite.Directory", .critical, "gives and takes directory roles, administrator included",
            admin: true),
        graph("PrivilegedAccess.ReadWrite.AzureAD", .critical, "gives and takes roles for a time", admin: true),
        graph(
            "PrivilegedAccess.ReadWrite.AzureResources", .critical, "gives and takes Azure roles for a time",
            admin: true),
        graph("AdministrativeUnit.Read.All", .medium, "reads the administrative units", admin: true),
        graph(
            "AdministrativeUnit.ReadWrite.All", .critical, "changes the administrative units and who is in them",
            admin: true),
        graph("AuditLog.Read.All", .high, "reads the audit and sign-in logs", admin: true),
        graph("Reports.Read.All", .medium, "reads the reports of how services are used", admin: true),
        graph("Organization.Read.All", .low, "reads the facts of the organization", admin: true),
        graph("Organization.ReadWrite.All", .critical, "changes the settings of the organization", admin: true),
        graph("Domain.Read.All", .low, "reads which domains the organization has", admin: true),
        graph("Domain.ReadWrite.All", .critical, "adds, changes and removes the organization's domains", admin: true),
        graph("Policy.Read.All", .medium, "reads the organization's policies", admin: true),
        graph(
            "Policy.ReadWrite.ConditionalAccess", .critical, "changes under which conditions people may sign in",
            admin: true),
        graph(
            "Policy.ReadWrite.AuthenticationMethod", .critical, "changes with which methods people may sign in",
            admin: true),
        graph(
            "Policy.ReadWrite.Authorization", .critical, "changes what people and guests may do by default", admin: true
        ),
        graph(
            "IdentityProvider.ReadWrite.All", .critical, "changes which other providers may sign people in", admin: true
        ),
        graph("IdentityRiskEvent.Read.All", .high, "reads which sign-ins look risky", admin: true),
        graph("IdentityRiskyUser.Read.All", .high, "reads which people look compromised", admin: true),
        graph("IdentityRiskyUser.ReadWrite.All", .critical, "declares people safe or compromised", admin: true),
        graph("SecurityEvents.Read.All", .high, "reads the organization's security events", admin: true),
        graph(
            "SecurityEvents.ReadWrite.All", .high, "reads and changes the organization's security events", admin: true),
        graph("SecurityAlert.Read.All", .high, "reads the organization's security alerts", admin: true),
        graph(
            "SecurityIncident.ReadWrite.All", .high, "reads and changes the organization's security incidents",
            admin: true),
        graph("ThreatHunting.Read.All", .high, "searches the organization's security data", admin: true),
        graph("Device.Read", .low, "reads your own devices"),
        graph("Device.Read.All", .medium, "reads every device of the organization", admin: true),
        graph("Device.Command", .high, "sends commands to your devices"),
        graph("BitlockerKey.Read.All", .critical, "reads the keys that unlock encrypted disks", admin: true),
        graph("DeviceManagementManagedDevices.Read.All", .medium, "reads the managed devices", admin: true),
        graph("DeviceManagementManagedDevices.ReadWrite.All", .critical, "changes the managed devices", admin: true),
        graph(
            "DeviceManagementManagedDevices.PrivilegedOperations.All", .critical,
            "wipes, locks and restarts managed devices", admin: true),
        graph("DeviceManagementConfiguration.Read.All", .medium, "reads how devices are configured", admin: true),
        graph(
            """
            DeviceManagementConfiguration.ReadWrite.All
            """, .critical, "changes how devices are configured", admin: true),
        graph("DeviceManagementApps.Read.All", .medium, "reads which programs are given to devices", admin: true),
        graph(
            "DeviceManagementApps.ReadWrite.All", .critical, "gives programs to devices and takes them away",
            admin: true),
        graph("eDiscovery.Read.All", .high, "reads the cases of legal searches", admin: true),
        graph("EntitlementManagement.ReadWrite.All", .critical, "changes who is given access to what", admin: true),
        graph("AccessReview.Read.All", .medium, "reads the reviews of who has access", admin: true),
        graph("ServiceHealth.Read.All", .low, "reads how the organization's services are doing", admin: true),
        graph("CrossTenantInformation.ReadBasic.All", .low, "reads the names of other organizations", admin: true),
    ]
}
