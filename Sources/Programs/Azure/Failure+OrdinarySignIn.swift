package import Identity

extension Failure {
    /// Whether nothing but a sign-in is wanted: nobody has signed in, and no provider has refused anything.
    package var wantsOrdinarySignIn: Bool { code == .interactionRequired && serverCodes.isEmpty }
}
