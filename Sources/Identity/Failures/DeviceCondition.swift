extension Failure {
    /// Entra ID's codes for a policy that requires a registered, compliant or managed device. Signing in with a browser
    /// does not help: only a broker that holds the device key can satisfy it.
    private static let deviceCodes: Set<Int> = [50097, 50129, 50155, 50187, 53000, 53001, 530_002, 530_003, 700_003]

    package var wantsDevice: Bool {
        serverCodeOrigin == .entra && serverCodes.contains(where: Self.deviceCodes.contains)
    }
}
