import CommandSupport
import Identity
import Logging
import SilentFirst
import StrictJSON

// A sign-in that is asked for elsewhere and happens here.
extension ForwardedRequests {
    /// How often it is looked whether somebody has signed in, where no browser can be opened from here.
    private static let pause: Duration = .seconds(1)
    private static let patience: Duration = .seconds(300)

    /// Has a person sign in at this machine; the other side waits.
    ///
    /// - Parameters:
    ///   - account: who has to; nil for somebody who is allowed and not there yet.
    ///   - isAllowed: whether the person has said yes to this request just now.
    func signIn(
        _ wish: Wish, _ account: Account?, _ program: String?, isAllowed: Bool, _ onEvent: RequestHandler.Events
    ) async throws(Failure) {
        let named = wish.policy.settings.accounts
        let hint = account?.label ?? (named.count == 1 ? named[0] : nil)
        if !isAllowed {
            let key = Permissions.Key(
                program: wish.forwarding.name + ", sign-in", clientID: wish.client.clientID,
                account: account?.homeAccountID ?? hint ?? "", scopes: wish.scopes.target)
            let question = Questions.Question(
                key: key, asker: Self.words(wish.forwarding, program) + ", which asks you to sign in here",
                client: wish.client.name, account: hint ?? "not known yet",
                display: ProcessEntry(wish.forwarding.pid).variable("DISPLAY"))
            _ = try await ask(question, wish.forwarding, "waiting for a sign-in at home: foyer agent requests", onEvent)
        }
        await onEvent([
            "event": .string(AgentProtocol.waitsForPerson), "message": "waiting for the sign-in at home",
        ])
        let ssh = ProcessEntry(wish.forwarding.pid)
        let desktop = ForwardedSignIn.variables.compactMap { name in ssh.variable(name).map { (name, $0) } }
        let wanted = ForwardedSignIn(
            client: wish.client.name, loginHint: hint, scopes: wish.scopes.names,
            desktop: Dictionary(desktop) { first, _ in first })
        logger.notice("a sign-in is opened for \(Self.words(wish.forwarding, program))")
        switch await open(wanted) {
        case .signedIn: return
        case .failed: throw Failure(.interactionRequired, "the sign-in at home has not succeeded")
        case .noBrowser: try await awaitSignIn(wish, onEvent)
        }
    }

    /// Waits until the person has signed in by other means.
    private func awaitSignIn(_ wish: Wish, _ onEvent: RequestHandler.Events) async throws(Failure) {
        await onEvent([
            "event": .string(AgentProtocol.waitsForPerson),
            "message": "no browser can be opened at home: sign in there with \"foyer sign-in\"",
        ])
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline, !forwardings.isEnded(wish.forwarding),
            (try? await Task.sleep(for: Self.pause, clock: .continuous)) != nil
        {
            guard let found = try? await worked(out: wish) else { continue }
            if case .interaction = found.call.application.decision(
                on: found.call.request, from: found.call.snapshot
            ).outcome {
                continue
            }
            return
        }
        throw Failure(.interactionRequired, "nobody has signed in at home")
    }
}
