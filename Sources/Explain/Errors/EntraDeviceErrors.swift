// Entra ID errors about second factors, devices and policies.

import Identity

extension ServerCodeMeaning {
    static let secondFactors: [ServerCodeMeaning] = [
        ServerCodeMeaning(130004, .you, "the account has no key on this device", "sign in with another method"),
        ServerCodeMeaning(
            130005, .you, "the signature of the account's key is not valid",
            "sign in with another method"),
        ServerCodeMeaning(130006, .you, "the device has no transport key", "sign in with another method"),
        ServerCodeMeaning(
            130007, .administrator, "the device of the account's key is disabled",
            "ask the administrator to enable it"),
        ServerCodeMeaning(
            130008, .administrator, "the device of the account's key is not in the organization's directory",
            "register it again, or use another"),
        ServerCodeMeaning(
            135010, .administrator, "the device's key is not in the organization's directory",
            "register the device again"),
        ServerCodeMeaning(
            135011, .administrator, "the device is disabled in the organization's directory",
            "ask the administrator to enable it"),
        ServerCodeMeaning(
            17003, .administrator, "the provider could not create a key for the account",
            "ask the administrator"),
        ServerCodeMeaning(220450, .you, "the browser is too old", "update it, or sign in in another one"),
        ServerCodeMeaning(240001, .administrator, "the account may not register devices", "ask the administrator"),
        ServerCodeMeaning(
            500121, .you, "the second factor was refused, not answered, or wrong",
            "sign in again and confirm it"),
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
            "wait a few minutes, or use an app or a key instead"),
        ServerCodeMeaning(
            50097, .administrator, "the tenant requires a registered device, and this one did not authenticate",
            "use a device that the organization manages, or ask the administrator for an exception"),
        ServerCodeMeaning(
            50099, .administrator, "the device's signature is not valid",
            "register the device again, or use one that the organization manages"),
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
            50161, .administrator, "the external authentication did not return what the tenant requires",
            "tell the administrator"),
        ServerCodeMeaning(
            50166, .nobody, "the external authentication is temporarily unavailable",
            "try again later"),
        ServerCodeMeaning(
            50170, .administrator, "the external authentication is not configured completely",
            "tell the administrator"),
        ServerCodeMeaning(
            50177, .administrator, "the external authentication does not support accounts of other directories",
            "use an account of the tenant, or ask its administrator"),
        ServerCodeMeaning(
            50178, .administrator, "the tenant's session policy does not support accounts of other directories",
            "use an account of the tenant, or ask its administrator"),
        ServerCodeMeaning(
            50187, .administrator, "the device sent no information about itself, which the tenant requires",
            "use a device that the organization manages"),
        ServerCodeMeaning(
            700003, .administrator, "the device was removed from the organization's directory",
            "register it again, or use another"),
        ServerCodeMeaning(
            90072, .you, "the account is not a guest in the tenant that the second factor is for",
            "sign in with an account of that tenant, or ask its administrator for an invitation"),
    ]

    static let policies: [ServerCodeMeaning] = [
        ServerCodeMeaning(
            1000031, .administrator, "the application cannot be used at this time",
            "ask the tenant's administrator"),
        ServerCodeMeaning(
            1000104, .administrator, "your own organization does not allow resources of that cloud",
            "ask your own administrator"),
        ServerCodeMeaning(
            50002, .administrator, "the network you are on does not allow this tenant",
            "use another network, or ask its administrator to allow the tenant"),
        ServerCodeMeaning(
            500021, .administrator, "the network you are on does not allow this tenant",
            "use another network, or ask its administrator to allow the tenant"),
        ServerCodeMeaning(
            500022, .administrator, "the network you are on does not allow this tenant",
            "use another network, or ask its administrator to allow the tenant"),
        ServerCodeMeaning(
            50005, .administrator, "the tenant's policies do not allow this kind of device",
            "use another device, or ask the administrator"),
        ServerCodeMeaning(
            500212, .administrator, "your own organization blocks access to that tenant (cross-tenant access)",
            "ask your own administrator"),
        ServerCodeMeaning(
            500213, .administrator, "that tenant blocks your organization (cross-tenant access)",
            "ask that tenant's administrator"),
        ServerCodeMeaning(
            50131, .administrator,
            "the tenant's policies stopped the sign-in: the location, the device or the behavior is not allowed",
            "try from a location and a device that the organization knows, or ask the administrator"),
        ServerCodeMeaning(
            53000, .administrator, "the tenant requires a compliant device, and this one is not",
            "make the device compliant, or use one that the organization manages"),
        ServerCodeMeaning(
            530002, .administrator, "the tenant requires a compliant device, and this one is not",
            "make the device compliant, or use one that the organization manages"),
        ServerCodeMeaning(
            530003, .administrator, "this device must be managed by the organization",
            "register it with the organization, or use one that the organization manages"),
        ServerCodeMeaning(
            53001, .administrator, "the tenant requires a device that is joined to its domain",
            "use one that is"),
        ServerCodeMeaning(
            53002, .administrator, "the tenant requires an approved client app",
            "use an approved app, or ask the administrator to allow this client"),
        ServerCodeMeaning(
            530021, .administrator, "the tenant requires an approved client app",
            "use an approved app, or ask the administrator to allow this client"),
        ServerCodeMeaning(
            53003, .administrator, "the tenant's policies block this sign-in",
            "give the correlation id to the administrator, who can see which policy it was"),
        ServerCodeMeaning(
            530032, .administrator, "a security policy of the tenant blocks the request",
            "ask the administrator"),
        ServerCodeMeaning(
            530034, .administrator, "a partner's administrator is blocked because of suspicious activity",
            "ask the administrator"),
        ServerCodeMeaning(
            530035, .administrator, "the tenant's security defaults block this sign-in",
            "sign in in a browser, or ask the administrator"),
        ServerCodeMeaning(
            53004, .administrator, "a second factor must be set up, which is forbidden while the sign-in seems risky",
            "set it up from a location and a device that you use every day"),
        ServerCodeMeaning(
            530084, .administrator, "the tenant requires tokens that are bound to the device",
            "use a device that the organization manages, or ask the administrator"),
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
            90084, .administrator, "guest accounts are not allowed",
            "use an account of the tenant, or ask its administrator"),
    ]
}
