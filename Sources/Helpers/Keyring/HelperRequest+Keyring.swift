package import CommandSupport

extension HelperRequest {
    /// - Returns: nil for a command line that is left to the real keyring.
    package static func keyring(_ words: [String], _ environment: ProcessEnvironment) -> HelperRequest? {
        KeyringRequest(words).map { request in
            HelperRequest(
                request.query(TokenOptions(), environment), environment, devOps: request.devOps, answer: request.answer)
        }
    }
}
