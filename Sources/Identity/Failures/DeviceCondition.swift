extension Failure {
    /// Entra ID's numbers for a policy that wants a registered, compliant or managed device: no sign-in in a browser
    /// mends it, and only a broker that holds the device's key can answer.
    private static let deviceCodes: Set<Int> = [50097, 50129, 50155, 50187, 53000, 53001, 530_002, 530_003, 700_003]

    /// Whether the provider wants the device to prove itself.
    package var wantsDevice: Bool {
        serverCodeOrigin == .entra && serverCodes.contains(where: Self.deviceCodes.contains)
    }
}
