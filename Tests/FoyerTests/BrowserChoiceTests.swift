import Identity
import SilentFirst
import Testing

@testable import CommandSupport
@testable import foyer_main

@Suite struct BrowserChoiceTests {
    struct Row: Sendable {
        var variables: [String: String] = [:]
        var command: String?
        var method: SignInMethod
        var reason: String
    }

    /// No folder of programs, so that nothing that this machine has is found.
    @Test(arguments: [
        Row(command: "none", method: .browser, reason: "only printing the URL (--browser none)"),
        Row(
            variables: ["SSH_TTY": "/dev/pts/1"], command: "firefox %s", method: .browser,
            reason: "a browser command was given"),
        Row(variables: ["BROWSER": "/bin/true"], method: .browser, reason: "BROWSER names true"),
        Row(variables: ["BROWSER": "/nonexistent/browser:/bin/true"], method: .browser, reason: "BROWSER names true"),
        Row(
            variables: ["BROWSER": "/nonexistent/browser", "SSH_TTY": "x"], method: .device,
            reason: "this is an SSH session without a display"),
        Row(variables: ["SSH_CONNECTION": "x"], method: .device, reason: "this is an SSH session without a display"),
        Row(variables: ["container": "podman"], method: .device, reason: "this is a container without a display"),
        Row(variables: ["DISPLAY": ":0"], method: .device, reason: "there is a display but no browser was found"),
        Row(
            variables: ["WAYLAND_DISPLAY": "w", "SSH_TTY": "x"], method: .device,
            reason: "there is a display but no browser was found"),
    ])
    func `A browser is used where one can show a page, else a device code, and the reason is said`(row: Row) {
        let variables = row.variables.merging(["PATH": "/nonexistent"]) { $1 }
        let choice = Browser(environment: ProcessEnvironment { variables[$0] }, command: row.command).automaticMethod()
        #expect(choice.method == row.method && choice.reason == row.reason)
    }

    @Test func `A browser command that ends with an error has opened nothing, and that is said`() async throws {
        let address = try WebAddress("https://id.example.org/device")
        let variables = ["PATH": "/usr/bin:/bin"]
        let environment = ProcessEnvironment { variables[$0] }
        try await Browser(environment: environment, command: "true").open(address)
        do throws(BrowserProblem) {
            try await Browser(environment: environment, command: "false").open(address)
            Issue.record("it was told to be open")
        } catch { #expect(error.message == "false failed (status 1)") }
    }
}
