import CommandSupport
import Identity
import Logging
import SilentCore
import StrictJSON

// Sign-ins on this machine that another host or container requests.
extension ForwardedRequests {
    private static let pause: Duration = .seconds(1)
    private static let patience: Duration = .seconds(300)

    /// Lets the user sign in on this machine while the other side waits.
    ///
    /// - Parameters:
    ///  - account: the account to sign in; nil for a forwarded account that is not stored yet.
    ///  - isAllowed: whether the user has just allowed this request.
    func signIn(
        _ wish: Query, _ account: Account?, _ program: String?, isAllowed: Bool, _ onEvent: RequestHandler.Events
    ) async throws(Failure) {
        let named = wish.policy.settings.accounts
        let hint = account?.label ?? (named.count == 1 ? named[0] : nil)
        if !isAllowed {
            let key = Permissions.Key(
                program: wish.forwarding.name + ", sign-in", clientID: wish.client.clientID,
                account: account?.id.canonicalHomeAccountID ?? hint ?? "", scopes: wish.scopes.target)
            let question = Questions.Question(
                key: key, asker: Self.words(wish.forwarding, program) + ", requesting a sign-in here",
                client: wish.client.name, account: hint ?? "unknown yet",
                display: ProcessEntry(wish.forwarding.pid).variable("DISPLAY"))
            _ = try await ask(
                question, wish.forwarding, "waiting for a sign-in on your machine: foyer agent requests", onEvent)
        }
        await onEvent([
            "event": .string(AgentProtocol.waitsForPerson), "message": "waiting for the sign-in on your machine",
        ])
        let ssh = ProcessEntry(wish.forwarding.pid)
        let desktop = ForwardedSignIn.variables.compactMap { name in ssh.variable(name).map { (name, $0) } }
        let wanted = ForwardedSignIn(
            client: wish.client.name, loginHint: hint, scopes: wish.scopes.names,
            desktop: Dictionary(desktop) { first, _ in first })
        logger.notice("opened a sign-in for \(Self.words(wish.forwarding, program))")
        switch await open(wanted) {
        case .signedIn: return
        case .failed: throw Failure(.interactionRequired, "the sign-in on your machine failed")
        case .noBrowser: try await awaitSignIn(wish, onEvent)
        }
    }

    private func awaitSignIn(_ wish: Query, _ onEvent: RequestHandler.Events) async throws(Failure) {
        await onEvent([
            "event": .string(AgentProtocol.waitsForPerson),
            "message": "cannot open a browser on your machine: sign in there with \"foyer sign-in\"",
        ])
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline, !forwardings.isEnded(wish.forwarding),
            (try? await Task.sleep(for: Self.pause, clock: .continuous)) != nil
        {
            guard let found = try? await worked(out: wish) else { continue }
            if case .interaction = found.call.cached.decision(
                on: found.call.request, from: found.call.snapshot
            ).outcome {
                continue
            }
            return
        }
        throw Failure(.interactionRequired, "no sign-in on your machine yet")
    }
}
