package import Identity

extension Failure {
    /// Whether an ordinary sign-in is enough: no account is signed in, and no provider rejected anything.
    package var wantsOrdinarySignIn: Bool { code == .interactionRequired && serverCodes.isEmpty }
}
