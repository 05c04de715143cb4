// Entra ID errors about users, their credentials, devices and locations.

import Identity

extension ServerCodeMeaning {
    static let persons: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            16000, .you, "the provider cannot tell which account to use, or the account is not in the tenant",
            "sign in and choose the account"),
        ServerCodeMeaning(
            16001, .you, "the chosen account no longer has a session",
            "sign in and choose the account again"),
        ServerCodeMeaning(
            16003, .administrator, "account not found in this tenant",
            .nameTenant),
        ServerCodeMeaning(
            50014, .administrator, "the account is not in the tenant, or has not accepted its guest invitation",
            "open the link in the invitation mail, or ask the tenant's administrator for one"),
        ServerCodeMeaning(
            50020, .administrator, "the account comes from another directory and is not a guest in this tenant",
            "sign in with an account of this tenant, or ask its administrator for an invitation"),
        ServerCodeMeaning(
            50034, .you, "there is no such account in this tenant",
            "check the spelling of the username, and the tenant of the authority"),
        ServerCodeMeaning(
            50053, .you,
            "the account is locked after too many wrong passwords, or its IP address is suspicious",
            "wait a few minutes and sign in once with the right password, or ask the administrator to unlock it"),
        ServerCodeMeaning(
            50055, .you, "the password has expired",
            "sign in and set a new password"),
        ServerCodeMeaning(
            50056, .you, "the directory has no password for this account",
            "sign in and set one, or use another method"),
        ServerCodeMeaning(
            50057, .administrator, "the account is disabled",
            "ask the tenant's administrator to enable it"),
        ServerCodeMeaning(
            50058, .you, "no session at the provider",
            "sign in"),
        ServerCodeMeaning(
            50064, .you, "the username or the password could not be checked",
            "sign in again"),
        ServerCodeMeaning(
            50085, .you, "the social account behind this one must sign in again",
            "sign in again"),
        ServerCodeMeaning(
            50089, .you, "the sign-in took too long and its page has expired",
            "start the sign-in again"),
        ServerCodeMeaning(
            50105, .administrator, "the application is only for assigned users, and the account is not one",
            "ask the tenant's administrator to assign you or one of your groups to the application"),
        ServerCodeMeaning(
            50125, .you, "the password must be reset or its recovery set up first",
            "sign in and follow the page"),
        ServerCodeMeaning(
            50126, .you, "the username or the password is wrong",
            "sign in again with the right password"),
        ServerCodeMeaning(
            50132, .you, "the session has expired, or its password was changed",
            "sign in again"),
        ServerCodeMeaning(
            50133, .you, "the session was revoked, for example by a password change",
            "sign in again"),
        ServerCodeMeaning(
            50135, .you, "the account is at risk and its password must be changed",
            "sign in and set a new password"),
        ServerCodeMeaning(
            50140, .you, "the page that asks whether to stay signed in was not answered",
            "sign in again and answer it"),
        ServerCodeMeaning(
            50142, .you, "a policy of the tenant requires a new password because of a risk",
            "sign in and set a new password"),
        ServerCodeMeaning(
            50143, .you, "the session belongs to another tenant than the one requested",
            "sign in to the right tenant"),
        ServerCodeMeaning(
            50144, .you, "the password of the organization's own directory has expired",
            "change it there, then sign in"),
        ServerCodeMeaning(
            50173, .you, "the sign-in was revoked: the password changed, or an administrator revoked it",
            "sign in again"),
        ServerCodeMeaning(
            50180, .you, "integrated Windows sign-in was expected",
            "sign in with a browser"),
        ServerCodeMeaning(
            50197, .you, "the account could not be found among several with the same name",
            "sign in again and choose"),
        ServerCodeMeaning(
            50199, .you, "the page that asks whether this is the app you mean was not answered",
            "sign in again and confirm it"),
        ServerCodeMeaning(
            51004, .administrator, "the account is not in the tenant's directory",
            .nameTenant),
        ServerCodeMeaning(
            51006, .you, "the last sign-in method was not strong enough",
            "sign in again"),
        ServerCodeMeaning(
            54000, .administrator, "the account belongs to a minor and the policy for the age group forbids it",
            "ask the tenant's administrator"),
        ServerCodeMeaning(
            65004, .you, "consent was declined",
            "sign in again and accept, if you want the app to have access"),
        ServerCodeMeaning(
            70000, .you, "the code or refresh token has expired or was revoked",
            "sign in again"),
        ServerCodeMeaning(
            70008, .you, "the refresh token was not used for too long, or was revoked",
            "sign in again"),
        ServerCodeMeaning(
            700082, .you, "the refresh token was not used for 90 days and has expired",
            "sign in again"),
        ServerCodeMeaning(
            700084, .you, "the refresh token came from a web page, where it expires after a day",
            "sign in again"),
        ServerCodeMeaning(
            70043, .you, "the tenant's sign-in frequency requires a new sign-in",
            "sign in again"),
        ServerCodeMeaning(
            70044, .you, "the session has reached the tenant's maximum length",
            "sign in again"),
        ServerCodeMeaning(
            700005, .you, "the code was issued for another tenant",
            "sign in to the right tenant"),
        ServerCodeMeaning(
            54005, .you, "the code was already used",
            "start the sign-in again"),
        ServerCodeMeaning(
            500200, .you, "the account is a personal one, and this sign-in is for work and school accounts",
            "sign in with a work or school account, or use the authority …/common or …/consumers"),
        ServerCodeMeaning(
            500208, .you, "the domain of the username does not match this kind of account",
            "check the username; customers of External ID sign in at their own authority"),
        ServerCodeMeaning(
            500222, .you, "the account has no password that can be entered here",
            "sign in with a code by mail, or in a browser"),
        ServerCodeMeaning(
            120002, .you, "the new password is too easy to guess",
            "choose a longer or less common one"),
    ]

    static let secondFactors: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            50072, .you, "a second factor is required and none is set up",
            "sign in in a browser and set one up"),
        ServerCodeMeaning(
            50074, .you, "a second factor is required and was not given",
            "sign in and pass the second factor"),
        ServerCodeMeaning(
            50076, .you,
            "a second factor is required: a policy of the tenant changed, or you are at another location than before",
            "sign in and pass the second factor"),
        ServerCodeMeaning(
            50078, .you, "the second factor was passed too long ago",
            "sign in and pass it again"),
        ServerCodeMeaning(
            50079, .you, "a second factor is required and none is set up",
            "sign in in a browser and set one up"),
        ServerCodeMeaning(
            50086, .you, "the second factor could not be checked",
            "sign in again; if this persists, set the factor up again"),
        ServerCodeMeaning(
            50087, .nobody, "checking the second factor is temporarily unavailable",
            "try again later"),
        ServerCodeMeaning(
            50088, .nobody, "too many calls or text messages were sent for the second factor",
            "wait an hour, or use an app or a key instead"),
        ServerCodeMeaning(
            50097, .administrator, "the tenant requires a registered device, and this one did not authenticate",
            "use a device that the organization manages, or ask the administrator for an exception"),
        ServerCodeMeaning(
            50127, .you, "the tenant requires the organization's companion app on this device, which is not installed",
            "use a device that the organization manages"),
        ServerCodeMeaning(
            50129, .administrator, "the tenant requires a registered device, and this one is not",
            "register the device, or use one that is"),
        ServerCodeMeaning(
            50155, .administrator, "the device could not authenticate",
            "register the device again, or use one that the organization manages"),
        ServerCodeMeaning(
            50158, .you, "an external authentication is pending",
            "sign in and follow it there"),
        ServerCodeMeaning(
            50187, .administrator, "the device sent no information about itself, which the tenant requires",
            "use a device that the organization manages"),
        ServerCodeMeaning(
            500121, .you, "the second factor was refused, not answered, or wrong",
            "sign in again and confirm it"),
        ServerCodeMeaning(
            700003, .administrator, "the device was removed from the organization's directory",
            "register it again, or use another"),
        ServerCodeMeaning(
            90072, .you, "the account is not a guest in the tenant that the second factor is for",
            "sign in with an account of that tenant, or ask its administrator for an invitation"),
        ServerCodeMeaning(
            135011, .administrator, "the device is disabled in the organization's directory",
            "ask the administrator to enable it"),
    ]

    static let policies: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            50005, .administrator, "the tenant's policies do not allow this kind of device",
            "use another device, or ask the administrator"),
        ServerCodeMeaning(
            50131, .administrator,
            "the tenant's policies stopped the sign-in: the location, the device or the behavior is not allowed",
            "try from a location and a device that the organization knows, or ask the administrator"),
        ServerCodeMeaning(
            53000, .administrator, "the tenant requires a compliant device, and this one is not",
            "make the device compliant, or use one that the organization manages"),
        ServerCodeMeaning(
            53001, .administrator, "the tenant requires a device that is joined to its domain",
            "use one that is"),
        ServerCodeMeaning(
            53002, .administrator, "the tenant requires an approved client app",
            "use an approved app, or ask the administrator to allow this client"),
        ServerCodeMeaning(
            53003, .administrator, "the tenant's policies block this sign-in",
            "give the correlation id to the administrator, who can see which policy it was"),
        ServerCodeMeaning(
            53004, .administrator, "a second factor must be set up, which is forbidden while the sign-in seems risky",
            "set it up from a location and a device that you use every day"),
        ServerCodeMeaning(
            53009, .administrator,
            "the tenant requires an app protection policy, which this client does not support",
            "use an app that can, or ask the administrator to allow this client"),
        ServerCodeMeaning(
            53010, .administrator, "a second factor may only be set up in locations that the tenant names",
            "set it up from there, or ask the administrator for a temporary pass"),
        ServerCodeMeaning(
            53011, .administrator, "the account is blocked in its home tenant because of a risk",
            "ask the home tenant's administrator"),
        ServerCodeMeaning(
            530032, .administrator, "a security policy of the tenant blocks the request",
            "ask the administrator"),
        ServerCodeMeaning(
            530034, .administrator, "a partner's administrator is blocked because of suspicious activity",
            "ask the administrator"),
        ServerCodeMeaning(
            500021, .administrator, "the network you are on does not allow this tenant",
            "use another network, or ask its administrator to allow the tenant"),
        ServerCodeMeaning(
            500212, .administrator, "your own organization blocks access to that tenant (cross-tenant access)",
            "ask your own administrator"),
        ServerCodeMeaning(
            500213, .administrator, "that tenant blocks your organization (cross-tenant access)",
            "ask that tenant's administrator"),
    ]
}
