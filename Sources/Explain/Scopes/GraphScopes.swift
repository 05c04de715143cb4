// The delegated permissions of Microsoft Graph, explained in our own sentences. Graph's reference lists the names.

extension ScopeMeaning {
    private static func graph(_ name: String, _ risk: Risk, _ sentence: String, admin: Bool = false) -> ScopeMeaning {
        ScopeMeaning(graph, name, risk, sentence, admin: admin)
    }

    static let graphPeople: [ScopeMeaning] = [
        graph("User.Read", .low, "signs you in and reads your own profile"),
        graph("User.ReadWrite", .high, "reads and changes your own profile"),
        graph("User.ReadBasic.All", .low, "reads the names and addresses of everyone in the organization"),
        graph("User.Read.All", .medium, "reads the whole profile of everyone in the organization", admin: true),
        graph("User.ReadWrite.All", .critical, "changes everyone's profile, creates and deletes users", admin: true),
        graph("User.Invite.All", .high, "invites guests into the organization", admin: true),
        graph("User.Export.All", .high, "exports the data of any user", admin: true),
        graph("User.ManageIdentities.All", .critical, "changes the identities that users sign in with", admin: true),
        graph("User.EnableDisableAccount.All", .critical, "enables and disables accounts", admin: true),
        graph("UserActivity.ReadWrite.CreatedByApp", .low, "keeps its own notes of what you did in the program"),
        graph("UserNotification.ReadWrite.CreatedByApp", .low, "sends you its own notifications"),
        graph("UserAuthenticationMethod.Read", .medium, "reads which methods you sign in with"),
        graph(
            "UserAuthenticationMethod.ReadWrite", .critical, "changes the methods that you sign in with", admin: true),
        graph(
            "UserAuthenticationMethod.Read.All", .high, "reads the sign-in methods of everyone you may administer",
            admin: true),
        graph(
            "UserAuthenticationMethod.ReadWrite.All", .critical,
            "changes the sign-in methods of everyone you may administer", admin: true),
        graph("People.Read", .medium, "reads who you work with, and how often"),
        graph("People.Read.All", .high, "reads who works together in the organization", admin: true),
        graph("Presence.Read", .low, "reads whether you are available"),
        graph("Presence.Read.All", .medium, "reads whether anyone in the organization is available"),
        graph("Presence.ReadWrite", .medium, "sets whether you appear as available"),
        graph("Contacts.Read", .medium, "reads your contacts"),
        graph("Contacts.ReadWrite", .high, "reads, changes and deletes your contacts"),
        graph("Contacts.Read.Shared", .high, "reads the contacts that others share with you"),
        graph(
            "Group.Read.All", .high, "reads every group that you can see, with its conversations and files", admin: true
        ),
        graph("Group.ReadWrite.All", .critical, "creates, changes and deletes groups and their content", admin: true),
        graph("GroupMember.Read.All", .medium, "reads who is in which group", admin: true),
        graph("GroupMember.ReadWrite.All", .critical, "adds and removes group members", admin: true),
        graph("Member.Read.Hidden", .high, "reads the members that groups hide", admin: true),
        graph("Team.ReadBasic.All", .low, "reads the names of the teams that you are in"),
        graph("Team.Create", .medium, "creates teams in your name"),
        graph("TeamSettings.Read.All", .medium, "reads the settings of your teams", admin: true),
        graph("TeamSettings.ReadWrite.All", .high, "changes the settings of your teams", admin: true),
        graph("TeamMember.Read.All", .medium, "reads who is in your teams", admin: true),
        graph("TeamMember.ReadWrite.All", .high, "adds and removes members of your teams", admin: true),
        graph("Channel.ReadBasic.All", .low, "reads the names of the channels of your teams"),
        graph("Channel.Create", .medium, "creates channels in your teams", admin: true),
        graph("ChannelMessage.Read.All", .high, "reads the messages in the channels of your teams", admin: true),
        graph("ChannelMessage.Send", .high, "writes messages in channels in your name"),
        graph("Chat.Read", .medium, "reads your chats"),
        graph("Chat.ReadBasic", .medium, "reads who you chat with, not the messages"),
        graph("Chat.ReadWrite", .high, "reads your chats and writes in them in your name"),
        graph("Chat.Create", .medium, "starts chats in your name"),
        graph("ChatMessage.Send", .high, "writes chat messages in your name"),
        graph("OnlineMeetings.Read", .medium, "reads your online meetings"),
        graph("OnlineMeetings.ReadWrite", .high, "creates and changes online meetings in your name"),
        graph("OnlineMeetingTranscript.Read.All", .high, "reads the transcripts of your online meetings", admin: true),
        graph("Calls.Initiate.All", .high, "places calls from the program", admin: true),
    ]

    static let graphContent: [ScopeMeaning] = [
        graph("Mail.Read", .medium, "reads your mail"),
        graph("Mail.ReadBasic", .medium, "reads who wrote to you and about what, without the text"),
        graph("Mail.ReadWrite", .high, "reads, changes and deletes your mail, but does not send"),
        graph("Mail.Send", .high, "sends mail in your name"),
        graph("Mail.Read.Shared", .high, "reads mail that others share with you"),
        graph("Mail.ReadWrite.Shared", .high, "changes and deletes mail that others share with you"),
        graph("Mail.Send.Shared", .high, "sends mail on behalf of people who allowed it"),
        graph("MailboxSettings.Read", .medium, "reads your mailbox settings, such as the time zone and rules"),
        graph("MailboxSettings.ReadWrite", .high, "changes your mailbox settings, such as automatic answers and rules"),
        graph("IMAP.AccessAsUser.All", .high, "reads and changes your mail over IMAP"),
        graph("POP.AccessAsUser.All", .high, "reads and deletes your mail over POP"),
        graph("SMTP.Send", .high, "sends mail in your name over SMTP"),
        graph("EWS.AccessAsUser.All", .high, "does anything in your mailbox through Exchange Web Services"),
        graph("Calendars.Read", .medium, "reads your calendars"),
        graph("Calendars.ReadBasic", .low, "reads when you are busy, without what it is about"),
        graph("Calendars.ReadWrite", .high, "creates, changes and deletes events in your calendars"),
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
        graph("Sites.Manage.All", .critical, "creates and deletes lists and libraries in your SharePoint sites"),
        graph(
            "Sites.FullControl.All", .critical, "does anything in every SharePoint site that you may administer",
            admin: true),
        graph("Sites.Selected", .medium, "accesses SharePoint sites that an administrator selects", admin: true),
        graph("Notes.Read", .medium, "reads your notebooks"),
        graph("Notes.Create", .medium, "creates pages in your notebooks"),
        graph("Notes.ReadWrite", .high, "reads and changes your notebooks"),
        graph("Notes.Read.All", .high, "reads every notebook that you can open"),
        graph("Notes.ReadWrite.All", .high, "changes every notebook that you can open"),
        graph("Tasks.Read", .medium, "reads your tasks"),
        graph("Tasks.ReadWrite", .high, "creates, changes and deletes your tasks"),
        graph("Tasks.Read.Shared", .medium, "reads the tasks that others share with you"),
        graph("Tasks.ReadWrite.Shared", .high, "changes the tasks that others share with you"),
        graph("Bookings.Read.All", .medium, "reads the bookings that you may see"),
        graph("Bookings.ReadWrite.All", .high, "changes the bookings that you may change"),
        graph("Printer.Read.All", .low, "reads which printers there are", admin: true),
        graph("PrintJob.ReadWrite", .medium, "prints in your name"),
        graph(
            "ExternalItem.Read.All", .medium, "reads search data added by other systems", admin: true
        ),
        graph("SearchConfiguration.Read.All", .low, "reads how the organization's search is set up", admin: true),
        graph("InformationProtectionPolicy.Read", .low, "reads which sensitivity labels you may use"),
    ]

    static let graphAdministration: [ScopeMeaning] = [
        graph(
            "Directory.Read.All", .high, "reads the whole directory: people, groups, applications, roles", admin: true),
        graph("Directory.ReadWrite.All", .critical, "changes nearly everything in the directory", admin: true),
        graph(
            "Directory.AccessAsUser.All", .critical, "acts in the directory with all your rights", admin: true),
        graph("Application.Read.All", .medium, "reads the registered applications", admin: true),
        graph(
            "Application.ReadWrite.All", .critical, "registers and changes apps, including their secrets", admin: true
        ),
        graph(
            "AppRoleAssignment.ReadWrite.All", .critical, "grants permissions to apps, including itself",
            admin: true),
        graph("DelegatedPermissionGrant.ReadWrite.All", .critical, "grants consent for all users", admin: true),
        graph("DelegatedPermissionGrant.Read.All", .medium, "reads granted consents", admin: true),
        graph("RoleManagement.Read.All", .medium, "reads who has which role", admin: true),
        graph("RoleManagement.Read.Directory", .medium, "reads who has which directory role", admin: true),
        graph(
            "RoleManagement.ReadWrite.Directory", .critical, "assigns and removes directory roles, even administrator",
            admin: true),
        graph("PrivilegedAccess.ReadWrite.AzureAD", .critical, "assigns and removes roles temporarily", admin: true),
        graph(
            "PrivilegedAccess.ReadWrite.AzureResources", .critical, "assigns and removes Azure roles temporarily",
            admin: true),
        graph("AdministrativeUnit.Read.All", .medium, "reads the administrative units", admin: true),
        graph(
            "AdministrativeUnit.ReadWrite.All", .critical, "changes the administrative units and their members",
            admin: true),
        graph("AuditLog.Read.All", .high, "reads the audit and sign-in logs", admin: true),
        graph("Reports.Read.All", .medium, "reads the reports of how services are used", admin: true),
        graph("Organization.Read.All", .low, "reads basic data of the organization", admin: true),
        graph("Organization.ReadWrite.All", .critical, "changes the settings of the organization", admin: true),
        graph("Domain.Read.All", .low, "reads which domains the organization has", admin: true),
        graph("Domain.ReadWrite.All", .critical, "adds, changes and removes the organization's domains", admin: true),
        graph("Policy.Read.All", .medium, "reads the organization's policies", admin: true),
        graph(
            "Policy.ReadWrite.ConditionalAccess", .critical, "changes Conditional Access policies",
            admin: true),
        graph(
            "Policy.ReadWrite.AuthenticationMethod", .critical, "changes authentication method policies",
            admin: true),
        graph(
            "Policy.ReadWrite.Authorization", .critical, "changes what people and guests may do by default", admin: true
        ),
        graph(
            "IdentityProvider.ReadWrite.All", .critical, "changes the identity providers for sign-in", admin: true
        ),
        graph("IdentityRiskEvent.Read.All", .high, "reads which sign-ins look risky", admin: true),
        graph("IdentityRiskyUser.Read.All", .high, "reads which users look compromised", admin: true),
        graph("IdentityRiskyUser.ReadWrite.All", .critical, "marks users as safe or compromised", admin: true),
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
        graph("DeviceManagementApps.Read.All", .medium, "reads which apps are assigned to devices", admin: true),
        graph(
            "DeviceManagementApps.ReadWrite.All", .critical, "assigns apps to devices and removes them",
            admin: true),
        graph("eDiscovery.Read.All", .high, "reads eDiscovery cases", admin: true),
        graph("EntitlementManagement.ReadWrite.All", .critical, "manages access packages", admin: true),
        graph("AccessReview.Read.All", .medium, "reads access reviews", admin: true),
        graph("ServiceHealth.Read.All", .low, "reads the health of the organization's services", admin: true),
        graph("CrossTenantInformation.ReadBasic.All", .low, "reads the names of other organizations", admin: true),
    ]
}
