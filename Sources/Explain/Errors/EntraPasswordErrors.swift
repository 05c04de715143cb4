// Entra ID errors about passwords, which an organization's own directory can keep.

import Identity

extension ServerCodeMeaning {
    static let passwords: [ServerCodeMeaning] = [
        ServerCodeMeaning(120000, .you, "the current password is wrong", "sign in again with the right password"),
        ServerCodeMeaning(120003, .you, "the new password contains the username", "choose another one"),
        ServerCodeMeaning(
            120004, .you, "the new password is not complex enough for the organization's own directory",
            "choose a longer one"),
        ServerCodeMeaning(
            120005, .nobody, "the password was changed in the organization's own directory only",
            "wait a few minutes, then sign in with the new password"),
        ServerCodeMeaning(120008, .administrator, "the password change was stopped", "ask the administrator"),
        ServerCodeMeaning(
            120011, .administrator, "the account for the password change could not be found",
            "ask the administrator"),
        ServerCodeMeaning(
            120012, .you, "the password can only be changed in the organization's own directory",
            "change it there, then sign in"),
        ServerCodeMeaning(
            120013, .administrator,
            "the organization's own directory is unreachable, so the password cannot be changed",
            "try again later; if this persists, tell the administrator"),
        ServerCodeMeaning(
            120014, .administrator, "the account is locked or disabled in the organization's own directory",
            "ask the administrator to unlock it"),
        ServerCodeMeaning(
            120015, .administrator, "only an administrator can change this password",
            "ask the administrator"),
        ServerCodeMeaning(
            120016, .administrator, "the account is not enabled for self-service password reset",
            "ask the administrator"),
        ServerCodeMeaning(120018, .you, "the new password is too similar to a forbidden one", "choose another one"),
        ServerCodeMeaning(120020, .nobody, "the password could not be changed", "try again later"),
        ServerCodeMeaning(120021, .nobody, "the service that changes passwords had an error", "try again later"),
        ServerCodeMeaning(
            80005, .nobody, "the password could not be checked",
            "try again; if this persists, tell the administrator"),
        ServerCodeMeaning(
            80007, .administrator, "the organization's own directory could not check the password",
            "tell the administrator"),
        ServerCodeMeaning(
            80010, .administrator, "the organization's agent could not decrypt the password",
            "tell the administrator"),
        ServerCodeMeaning(81004, .you, "the Kerberos authentication was refused", "sign in with another method"),
        ServerCodeMeaning(
            81005, .you, "the desktop uses an authentication package that is not supported",
            "sign in with another method"),
        ServerCodeMeaning(81006, .you, "the browser sent no Kerberos ticket", "sign in with another method"),
        ServerCodeMeaning(
            81007, .you, "the tenant does not use seamless single sign-on",
            "sign in with another method"),
        ServerCodeMeaning(81009, .you, "the Kerberos ticket is malformed", "sign in with another method"),
        ServerCodeMeaning(
            81010, .you, "the Kerberos ticket has expired or is not valid",
            "sign in with another method"),
        ServerCodeMeaning(
            81011, .you, "the account of the Kerberos ticket could not be found",
            "sign in with another method"),
        ServerCodeMeaning(81012, .you, "the chosen account is not the desktop's", "sign in with another method"),
    ]
}
