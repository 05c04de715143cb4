// Entra ID errors about users, their sessions and refresh tokens.

import Identity

extension ServerCodeMeaning {
    static let persons: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            1000000, .you, "the account is not connected to its external provider yet",
            "sign in and follow the page"),
        ServerCodeMeaning(1000002, .you, "the account was connected to its external provider", "sign in again"),
        ServerCodeMeaning(
            120002, .you, "the new password is too easy to guess",
            "choose a longer or less common one"),
        ServerCodeMeaning(140001, .you, "the session's key is not valid", "sign in again"),
        ServerCodeMeaning(
            16000, .you, "the provider cannot tell which account to use, or the account is not in the tenant",
            "sign in and choose the account"),
        ServerCodeMeaning(
            16001, .you, "the chosen account no longer has a session",
            "sign in and choose the account again"),
        ServerCodeMeaning(
            16002, .you, "the session that the app named does not fit",
            "sign in and choose the account"),
        ServerCodeMeaning(
            160021, .you, "the session that the app named does not exist",
            "sign in and choose the account"),
        ServerCodeMeaning(
            16003, .administrator, "account not found in this tenant",
            .nameTenant),
        ServerCodeMeaning(
            50014, .administrator, "the account is not in the tenant, or has not accepted its guest invitation",
            "open the link in the invitation mail, or ask the tenant's administrator for one"),
        ServerCodeMeaning(50015, .you, "consent for the age group is missing", "sign in and follow the page"),
        ServerCodeMeaning(
            50020, .administrator, "the account comes from another directory and is not a guest in this tenant",
            "sign in with an account of this tenant, or ask its administrator for an invitation"),
        ServerCodeMeaning(
            500200, .you, "the account is a personal one, and this sign-in is for work and school accounts",
            "sign in with a work or school account, or use the authority …/common or …/consumers"),
        ServerCodeMeaning(
            500207, .you, "this kind of account cannot use the resource",
            "sign in with another kind of account"),
        ServerCodeMeaning(
            500208, .you, "the domain of the username does not match this kind of account",
            "check the username; customers of External ID sign in at their own authority"),
        ServerCodeMeaning(
            500222, .you, "the account has no password that can be entered here",
            "sign in with a code by mail, or in a browser"),
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
        ServerCodeMeaning(50136, .you, "only a personal account has a session", "sign in and choose the account"),
        ServerCodeMeaning(50139, .you, "the session of the personal account is not complete", "sign in again"),
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
        ServerCodeMeaning(50168, .you, "the browser sent no token of the operating system", "sign in in a browser"),
        ServerCodeMeaning(
            50173, .you, "the sign-in was revoked: the password changed, or an administrator revoked it",
            "sign in again"),
        ServerCodeMeaning(
            50180, .you, "integrated Windows sign-in was expected",
            "sign in with a browser"),
        ServerCodeMeaning(
            50192, .you, "the sign-in contained no credential, such as a certificate that a proxy removed",
            "sign in and choose the certificate, or another method"),
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
        ServerCodeMeaning(52004, .you, "consent to LinkedIn is missing", "sign in and consent"),
        ServerCodeMeaning(
            54000, .administrator, "the account belongs to a minor and the policy for the age group forbids it",
            "ask the tenant's administrator"),
        ServerCodeMeaning(
            54005, .you, "the code was already used",
            "start the sign-in again"),
        ServerCodeMeaning(
            65004, .you, "consent was declined",
            "sign in again and accept, if you want the app to have access"),
        ServerCodeMeaning(
            70000, .you, "the code or refresh token has expired or was revoked",
            "sign in again"),
        ServerCodeMeaning(
            700005, .you, "the code was issued for another tenant",
            "sign in to the right tenant"),
        ServerCodeMeaning(700020, .you, "the grant requires another step", "sign in again"),
        ServerCodeMeaning(
            70008, .you, "the refresh token was not used for too long, or was revoked",
            "sign in again"),
        ServerCodeMeaning(
            700082, .you, "the refresh token was not used for too long and has expired",
            "sign in again"),
        ServerCodeMeaning(
            700084, .you, "the refresh token came from a web page, where it expires early",
            "sign in again"),
        ServerCodeMeaning(
            70043, .you, "the tenant's sign-in frequency requires a new sign-in",
            "sign in again"),
        ServerCodeMeaning(
            70044, .you, "the session has reached the tenant's maximum length",
            "sign in again"),
        ServerCodeMeaning(70046, .you, "the tenant's policies require a new sign-in", "sign in again"),
        ServerCodeMeaning(90007, .you, "the session's id is not readable", "sign in again"),
        ServerCodeMeaning(9002341, .you, "single sign-on is not allowed yet", "sign in and consent"),
        ServerCodeMeaning(90086, .you, "the account's token has expired", "sign in again"),
        ServerCodeMeaning(
            90125, .you, "there is no account with this username",
            "check the spelling of the username"),
        ServerCodeMeaning(
            90126, .you, "the username does not say which tenant it belongs to",
            "put the tenant into the authority"),
    ]
}
