import FoundationEssentials
import Glibc
import Identity
import SilentFirst

@main struct Hello {
    static func main() async {
        do { try await run() } catch {
            print(error)
            exit(1)
        }
    }

    static func run() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        let configuration = ClientConfiguration(
            clientID: "11111111-2222-3333-4444-555555555555",
            authority: try Authority(words.first ?? "https://login.microsoftonline.com/organizations"),
            store: home + "/hello-tokens.json",
            network: NetworkSettings(productName: "Hello/1.0"))

        print("sign in at \(configuration.authority)")
        print("keep tokens in \(configuration.store)")
    }
}
