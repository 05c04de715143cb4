// A program with a menu and no command line of its own kind:
//
//     EmbeddedClient silent|sign-in AUTHORITY CLIENT-ID FOLDER
//
// The token goes to standard output. Standard error has what a person of this program would read, then all that the
// library said, a line each.

import Glibc
import Identity
import SilentFirst

func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// What this program calls the situations that its people meet.
func sentence(_ failure: Failure) -> String {
    switch failure.code {
    case .interactionRequired: "TidePlanner does not know you yet."
    case .cancelled: "Signing in was called off."
    case .unavailable: "The sign-in service cannot be reached."
    default: "Signing in did not work."
    }
}

/// What this program's menu offers for it.
func advice(_ failure: Failure) -> String? {
    switch failure.nextStep {
    case .signIn, .signInWith, .signInAgain: "Choose Account, Sign in."
    case .checkProvider, .tryLater: "Try again when the network is back."
    case let hint?: "\(hint)"
    case nil: nil
    }
}

let words = CommandLine.arguments
guard words.count == 5, ["silent", "sign-in"].contains(words[1]) else {
    say("usage: EmbeddedClient silent|sign-in AUTHORITY CLIENT-ID FOLDER")
    exit(64)
}
let application: PublicClientApplication
do {
    var configuration = ClientConfiguration(
        clientID: words[3], authority: try Authority(words[2]), store: words[4] + "/tokens.json",
        network: NetworkSettings(productName: "TidePlanner/2.1"))
    configuration.dataFolder = words[4]
    application = PublicClientApplication(configuration)
} catch {
    say("no authority: \(error)")
    exit(64)
}
do throws(Failure) {
    let request = TokenRequest(scopes: ["User.Read"])
    let token =
        if words[1] == "silent" {
            try await application.acquireTokenSilent(request) { say("step: \($0.name.words): \($0.detail)") }
        } else {
            try await application.acquireToken(request, userAgents: .deviceCodeOnly) { event in
                if case .deviceCode(let prompt) = event {
                    say("open \(prompt.verificationURI.text) and type \(prompt.userCode)")
                } else {
                    say("event: \(event)")
                }
            }
        }
    say("\(token.account.label), from \(token.source.rawValue)")
    say("claims: \(token.idTokenClaims.checked == nil ? "cached" : "checked")")
    print(token.accessToken.reveal())
    await application.close()
} catch {
    say(sentence(error))
    if let advice = advice(error) { say(advice) }
    say("failure: \(error.code.rawValue): \(error.message)")
    if let step = error.nextStep { say("next step: \(step)") }
    var everything = ""
    dump(error, to: &everything)
    say(everything)
    await application.close()
    exit(1)
}
