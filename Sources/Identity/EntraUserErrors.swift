// Entra ID's numbers about who signs in, with what, and from where.

extension ServerCode {
    /// Accounts, sessions, passwords, refresh tokens.
    static let persons: [ServerCode] = [
        ServerCode(
            16000, "InteractionRequired", .signIn, .you,
            "the provider cannot tell which account is meant, or the account is not in the tenant",
            "sign in and choose the account"),
        ServerCode(
            16001, "UserAccountSelectionInvalid", .signIn, .you, "the account that was chosen has no session any more",
            "sign in and choose the account anew"),
        ServerCode(
            16003, "SsoUserAccountNotFoundInResourceTenant", .refused, .administrator,
            "the account is not known in the tenant that was asked",
            "ask the tenant's administrator for an invitation, or name your own tenant with --tenant"),
        ServerCode(
            50014, "GuestUserInPendingState", .refused, .administrator,
            "the account is not in the tenant, or did not take up its invitation as a guest",
            "open the link in the invitation mail, or ask the tenant's administrator for one"),
        ServerCode(
            50020, "UserUnauthorized", .refused, .administrator,
            "the account comes from another directory and is no guest in this tenant",
            "sign in with an account of this tenant, or ask its administrator for an invitation"),
        ServerCode(
            50034, "UserAccountNotFound", .refused, .you, "there is no such account in this tenant",
            "check the spelling of the user name, and the tenant of the authority"),
        ServerCode(
            50053, "IdsLocked", .refused, .you,
            "the account is locked after too many wrong passwords, or the address it is used from is suspected",
            "wait some minutes and sign in once with the right password, or ask the administrator to unlock it"),
        ServerCode(
            50055, "InvalidPasswordExpiredPassword", .signIn, .you, "the password has expired",
            "sign in and set a new password"),
        ServerCode(
            50056, "InvalidOrNullPassword", .signIn, .you, "the directory has no password for this account",
            "sign in and set one, or use another method"),
        ServerCode(
            50057, "UserDisabled", .refused, .administrator, "the account is switched off",
            "ask the tenant's administrator to switch it on"
        ),
        ServerCode(
            50058, "UserInformationNotProvided", .signIn, .you, "nobody has a session at the provider", "sign in"),
        ServerCode(
            50064, "CredentialAuthenticationError", .signIn, .you, "the user name or the password could not be checked",
            "sign in again"),
        ServerCode(
            50085, "RefreshTokenNeedsSocialIdPLogin", .signIn, .you,
            "the social account behind this one must sign in again",
            "sign in again"),
        ServerCode(
            50089, "FlowTokenExpired", .signIn, .you, "the sign-in took too long and its page has expired",
            "start the sign-in again"),
        ServerCode(
            50105, "EntitlementGrantsNotFound", .refused, .administrator,
            "the application is only for people it was assigned to, and the account is not one",
            "ask the tenant's administrator to assign you or a group of yours to the application"),
        ServerCode(
            50125, "PasswordResetRegistrationRequiredInterrupt", .signIn, .you,
            "the password must be reset or its recovery set up first",
            "sign in and follow the page"),
        ServerCode(
            50126, "InvalidUserNameOrPassword", .signIn, .you, "the user name and the password do not go together",
            "sign in again with the right password"),
        ServerCode(
            50132, "SsoArtifactInvalidOrExpired", .signIn, .you,
            "the session is over: its password was changed or its time has come",
            "sign in again"),
        ServerCode(
            50133, "SsoArtifactRevoked", .signIn, .you, "the session was ended, as by a new password", "sign in again"),
        ServerCode(
            50135, "PasswordChangeCompromisedPassword", .signIn, .you,
            "the account is at risk and its password must be changed",
            "sign in and set a new password"),
        ServerCode(
            50140, "KmsiInterrupt", .signIn, .you, "the page that asks whether to stay signed in was not answered",
            "sign in again and answer it"),
        ServerCode(
            50142, "PasswordChangeRequired", .signIn, .you,
            "a rule of the tenant wants the password changed because of a risk",
            "sign in and set a new password"),
        ServerCode(
            50143, "SessionMismatch", .signIn, .you,
            "the session belongs to another tenant than the one that was asked",
            "sign in to the tenant that is meant"),
        ServerCode(
            50144, "InvalidPasswordExpiredOnPremPassword", .signIn, .you,
            "the password of the organization's own directory has expired",
            "change it there, then sign in"),
        ServerCode(
            50173, "FreshTokenNeeded", .signIn, .you,
            "the sign-in was called back: the password changed or an administrator ended the sessions",
            "sign in again"),
        ServerCode(
            50180, "WindowsIntegratedAuthMissing", .signIn, .you,
            "the machine's own sign-in was expected and did not take place",
            "sign in with a browser"),
        ServerCode(
            50197, "ConflictingIdentities", .signIn, .you,
            "the account could not be found among several with the same name",
            "sign in again and choose"),
        ServerCode(
            50199, "CmsiInterrupt", .signIn, .you,
            "the page that asks whether this is the program you mean was not answered",
            "sign in again and confirm it"),
        ServerCode(
            51004, "UserAccountNotInDirectory", .refused, .administrator,
            "the account is not in the tenant's directory",
            "ask the tenant's administrator for an invitation, or name your own tenant with --tenant"),
        ServerCode(
            51006, "ForceReauthDueToInsufficientAuth", .signIn, .you,
            "the way of the last sign-in was not strong enough", "sign in again"),
        ServerCode(
            54000, "MinorUserBlockedLegalAgeGroupRule", .refused, .administrator,
            "the account belongs to a minor and the rule for the age group forbids it", "ask the tenant's administrator"
        ),
        ServerCode(
            65004, "UserDeclinedConsent", .cancelled, .you, "the consent page was answered with no",
            "sign in again and accept, if you want the program to have access"),
        ServerCode(
            70000, "InvalidGrant", .signIn, .you, "the code or refresh token is not valid any more", "sign in again"),
        ServerCode(
            70008, "ExpiredOrRevokedGrant", .signIn, .you,
            "the refresh token was not used for too long, or was called back",
            "sign in again"),
        ServerCode(
            700082, "ExpiredOrRevokedGrantInactiveToken", .signIn, .you,
            "the refresh token was not used for 90 days and has expired",
            "sign in again"),
        ServerCode(
            700084, "SpaRefreshTokenExpired", .signIn, .you,
            "the refresh token came from a web page, where it lives a day at most",
            "sign in again"),
        ServerCode(
            70043, "BadTokenDueToSignInFrequency", .signIn, .you,
            "the tenant wants people to sign in this often, and the time is over",
            "sign in again"),
        ServerCode(
            70044, "SsoTokenExpiredDueToSignInFrequency", .signIn, .you,
            "the session has reached the length that the tenant allows",
            "sign in again"),
        ServerCode(
            700005, "InvalidGrantRedeemAgainstWrongTenant", .signIn, .you,
            "the code was made for another tenant than the one it was brought to",
            "sign in to the tenant that is meant"),
        ServerCode(
            54005, "AuthorizationCodeAlreadyRedeemed", .signIn, .you, "the code was used already",
            "start the sign-in again"),
        ServerCode(
            500200, "PersonalAccountNotSupported", .refused, .you,
            "the account is a personal one, and this sign-in is for work and school accounts",
            "sign in with a work or school account, or use the authority …/common or …/consumers"),
        ServerCode(
            500208, "DomainNotValidForAccountType", .refused, .you,
            "the domain of the user name does not go with this kind of account",
            "check the user name; customers of External ID sign in at their own authority"),
        ServerCode(
            500222, "NativeCredentialNotSupported", .signIn, .you,
            "the account has no password that can be entered here",
            "sign in with a code by mail, or in a browser"),
        ServerCode(
            120002, "PasswordChangeInvalidNewPasswordWeak", .signIn, .you, "the new password is too easy to guess",
            "choose a longer or less common one"),
    ]

    /// A second factor, its setting up, and devices.
    static let secondFactors: [ServerCode] = [
        ServerCode(
            50072, "UserStrongAuthEnrollmentRequiredInterrupt", .signIn, .you,
            "a second factor is wanted and none is set up",
            "sign in in a browser and set one up"),
        ServerCode(
            50074, "UserStrongAuthClientAuthNRequiredInterrupt", .signIn, .you,
            "a second factor is wanted and was not shown",
            "sign in and pass the second factor"),
        ServerCode(
            50076, "UserStrongAuthClientAuthNRequired", .signIn, .you,
            "a second factor is wanted: a rule of the tenant has changed, or you are at another place than before",
            "sign in and pass the second factor"),
        ServerCode(
            50078, "UserStrongAuthExpired", .signIn, .you, "the second factor was passed too long ago",
            "sign in and pass it again"),
        ServerCode(
            50079, "UserStrongAuthEnrollmentRequired", .signIn, .you, "a second factor is wanted and none is set up",
            "sign in in a browser and set one up"),
        ServerCode(
            50086, "SasNonRetryableError", .signIn, .you, "the second factor could not be checked",
            "sign in again; if it stays so, set the factor up anew"),
        ServerCode(
            50087, "SasRetryableError", .passing, .nobody, "the check of the second factor has a trouble that passes",
            "try again later"),
        ServerCode(
            50088, "LimitTelecomMFA", .passing, .nobody,
            "too many calls or text messages were sent for the second factor",
            "wait an hour, or use an app or a key instead"),
        ServerCode(
            50097, "DeviceAuthenticationRequired", .refused, .administrator,
            "the tenant wants a device that it knows, and this one cannot show that it is",
            "use a device that the organization manages, or ask the administrator for an exception"),
        ServerCode(
            50127, "BrokerAppNotInstalled", .refused, .you,
            "the tenant wants the organization's companion app on this device, which is not there",
            "use a device that the organization manages"),
        ServerCode(
            50129, "DeviceIsNotWorkplaceJoined", .refused, .administrator,
            "the tenant wants a registered device, and this one is not",
            "register the device, or use one that is"),
        ServerCode(
            50155, "DeviceAuthenticationFailed", .refused, .administrator, "the device could not show who it is",
            "register the device anew, or use one that the organization manages"),
        ServerCode(
            50158, "ExternalSecurityChallenge", .signIn, .you, "another service must confirm the sign-in and has not",
            "sign in and follow it there"),
        ServerCode(
            50187, "DeviceInformationNotProvided", .refused, .administrator,
            "the device told nothing about itself, which the tenant wants",
            "use a device that the organization manages"),
        ServerCode(
            500121, "StrongAuthenticationFailed", .signIn, .you,
            "the second factor was refused, not answered, or wrong",
            "sign in again and confirm it"),
        ServerCode(
            700003, "DeviceNotFound", .refused, .administrator,
            "the device was removed from the organization's directory",
            "register it anew, or use another"),
        ServerCode(
            90072, "PassThroughUserMfaError", .refused, .you,
            "the account is no guest of the tenant that the second factor is for",
            "sign in with an account of that tenant, or ask its administrator for an invitation"),
        ServerCode(
            135011, "DeviceDisabled", .refused, .administrator,
            "the device is switched off in the organization's directory",
            "ask the administrator to switch it on"),
    ]

    /// What the tenant's rules forbid.
    static let policies: [ServerCode] = [
        ServerCode(
            50005, "DevicePolicyError", .refused, .administrator, "the tenant's rules do not allow this kind of device",
            "use another device, or ask the administrator"),
        ServerCode(
            50131, "ConditionalAccessFailed", .refused, .administrator,
            "the tenant's rules stopped the sign-in: the place, the device or the behaviour is not allowed",
            "try from a place and a device that the organization knows, or ask the administrator"),
        ServerCode(
            53000, "DeviceNotCompliant", .refused, .administrator,
            "the tenant wants a device that follows its rules, and this one does not",
            "bring the device in order, or use one that the organization manages"),
        ServerCode(
            53001, "DeviceNotDomainJoined", .refused, .administrator,
            "the tenant wants a device that is joined to its domain",
            "use one that is"),
        ServerCode(
            53002, "ApplicationUsedIsNotAnApprovedApp", .refused, .administrator,
            "the tenant wants an approved app, and this client is none",
            "use an approved app, or ask the administrator to allow this client"),
        ServerCode(
            53003, "BlockedByConditionalAccess", .refused, .administrator, "the tenant's rules block this sign-in",
            "show the correlation id to the administrator, who can see which rule it was"),
        ServerCode(
            53004, "ProofUpBlockedDueToRisk", .refused, .administrator,
            "a second factor must be set up, which is forbidden while the sign-in seems risky",
            "set it up from a place and a device that you use every day"),
        ServerCode(
            53009, "ApplicationNeedsProtectionPolicy", .refused, .administrator,
            "the tenant wants the app under its protection policy, which this client cannot do",
            "use an app that can, or ask the administrator to allow this client"),
        ServerCode(
            53010, "ProofUpBlockedDueToSecurityInfoAcr", .refused, .administrator,
            "setting up a second factor is only allowed in places that the tenant names",
            "set it up from there, or ask the administrator for a temporary pass"),
        ServerCode(
            53011, "UserBlockedDueToRisk", .refused, .administrator,
            "the account is blocked in its home tenant because of a risk",
            "ask the home tenant's administrator"),
        ServerCode(
            530032, "BlockedByConditionalAccessOnSecurityPolicy", .refused, .administrator,
            "a security rule of the tenant blocks the request",
            "ask the administrator"),
        ServerCode(
            530034, "DelegatedAdminBlockedDueToSuspiciousActivity", .refused, .administrator,
            "a partner's administrator is blocked because of suspicious activity", "ask the administrator"),
        ServerCode(
            500021, "TenantRestricted", .refused, .administrator, "the network you are on does not allow this tenant",
            "use another network, or ask its administrator to allow the tenant"),
        ServerCode(
            500212, "NotAllowedByOutboundPolicyTenant", .refused, .administrator,
            "your own organization does not let its people into that tenant",
            "ask your own administrator"),
        ServerCode(
            500213, "NotAllowedByInboundPolicyTenant", .refused, .administrator,
            "that tenant does not let people of your organization in",
            "ask that tenant's administrator"),
    ]
}
