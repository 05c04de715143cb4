import FoundationEssentials
import Identity
import SilentCore
import Wire

/// Device code, RFC 8628: the user enters a code on any device while the provider is polled.
struct DeviceSignIn {
    let flow: Interactive
    let parameters: Interactive.SignInParameters

    func run() async throws(Failure) -> AcquiredToken {
        let authorization = try await begin()
        flow.record.note(.deviceCode, .done, "code received")
        flow.onEvent(.deviceCode(authorization.prompt))

        let endpoint = flow.tokenEndpoint(parameters)
        var polling = DevicePolling(
            interval: authorization.prompt.interval,
            expiresIn: Int(
                exactly: authorization.prompt.expiresAt.timeIntervalSince(authorization.prompt.startedAt).rounded())
                ?? 900,
            now: flow.context.provider.uptime)
        var number = 0
        var delay = polling.first
        while true {
            do { try await flow.context.provider.sleep(delay) } catch {
                throw Failure(.cancelled, "the sign-in was cancelled")
            }
            number += 1
            let answer: Result<TokenAnswer, WireError>
            do throws(WireError) {
                answer = .success(
                    try await endpoint.poll(device: authorization.deviceCode, resource: flow.request.resource))
            } catch {
                answer = .failure(error)
            }
            switch polling.next(after: answer, now: flow.context.provider.uptime) {
            case .granted(let grant):
                flow.record.note(.deviceCode, .done, "approved, poll \(number)")
                return try await flow.processor(parameters).keep(grant, of: .deviceCode)
            case .wait(let pause, let why):
                delay = pause
                flow.onEvent(
                    .poll(
                        DevicePoll(
                            answer: why, number: number, interval: polling.interval,
                            nextAt: flow.context.now().addingTimeInterval(TimeInterval(pause.components.seconds)))))
            case .refused(let error):
                flow.record.note(.deviceCode, .failed, "refused (\(error.error))")
                throw Failure(error, inSignIn: true)
            case .expired:
                flow.record.note(.deviceCode, .failed, "expired")
                throw Failure(
                    .interactionRequired, "the code expired before it was used", hint: "start the sign-in again",
                    signInProblem: .nobodyAnswered)
            case .failed(let error):
                throw Failure(error, inSignIn: true)
            }
        }
    }

    private func begin() async throws(Failure) -> DeviceAuthorization {
        do {
            return try await DeviceCode.request(
                metadata: parameters.metadata, clientID: flow.configuration.clientID,
                authentication: parameters.authentication,
                scopes: flow.request.scopes.union(flow.request.extraScopes),
                reservedScopes: flow.reservedScopes(parameters),
                claims: parameters.claims, resource: flow.request.resource, isEntra: parameters.authority.kind.isEntra,
                correlationID: flow.request.correlationID,
                now: flow.context.now(), transport: flow.context.provider.transport)
        } catch { throw Failure(error, inSignIn: true) }
    }
}
