import Identity
import Logging

/// The lines that a client writes to its program's log: steps at `debug`, tokens at `info`, failures at `warning`, and
/// those that belong to every sign-in (`interactionRequired`, `cancelled`) at `notice`. Never a secret.
struct AcquisitionLog: Sendable {
    private var logger: Logger
    private let showsNames: Bool

    init(_ logger: Logger, showsNames: Bool) { (self.logger, self.showsNames) = (logger, showsNames) }

    /// The log of one call.
    func call(_ configuration: ClientConfiguration, _ request: TokenRequest? = nil) -> AcquisitionLog {
        var log = self
        log.logger[metadataKey: "client-id"] = "\(configuration.clientID)"
        log.logger[metadataKey: "authority"] = "\(request?.authority ?? configuration.authority)"
        if let request { log.logger[metadataKey: "correlation-id"] = "\(request.correlationID)" }
        return log
    }

    func note(_ step: Step) { logger.debug("\(showsNames ? step.words : step.maskedWords)") }

    func note(_ result: Result<AcquiredToken, Failure>) {
        switch result {
        case .success(let token):
            logger.info("\(token)")
            guard let warning = token.warning else { return }
            logger.warning("\(text(warning, token.account.names))")
        case .failure(let failure):
            var details: Logger.Metadata = ["code": "\(failure.code)"]
            details["oauth-error"] = failure.oauthError.map { "\(text($0))" }
            details["suberror"] = failure.suberror.map { "\(text($0))" }
            if !failure.serverCodes.isEmpty {
                details["server-codes"] = .array(failure.serverCodeNames.map { "\($0)" })
            }
            let isExpected = failure.code == .interactionRequired || failure.code == .cancelled
            logger.log(
                level: isExpected ? .notice : .warning, "\(text(failure.message, failure.hidden))", metadata: details)
        }
    }

    private func text(_ text: String, _ hidden: [String] = []) -> String {
        showsNames ? text : NameMask.masked(text, hiding: hidden)
    }
}
