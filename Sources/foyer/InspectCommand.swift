import ArgumentParser
import FoundationEssentials
import Glibc
import Identity
import SilentFirst
import StrictJSON
import TokenCache

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Decodes and explains a JWT: an argument, - for standard input, or a cached one with --id.")
    @Argument(help: "The token, or - for standard input; what is an argument can be seen by other processes.")
    var token: String?
    @Option(name: .customLong("id"), help: ArgumentHelp("The id of a cached token, as \"foyer tokens\" lists it.", valueName: "key"))
    var id: String?
    @Flag(help: "Fetch the issuer's keys and check the signature.")
    var verify = false
    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let session = try Session(shared.choices())
        let secret = try secret(session)
        let jwt: DecodedJWT
        do { jwt = try DecodedJWT(secret) } catch {
            throw Failure(.invalidInput, error.description, hint: "an opaque token can only be read by the resource that it is for")
        }
        var signature = SignatureFinding.notChecked
        if verify { signature = try await SignatureFinding.check(jwt, provider: Provider(try session.network())) }
        if shared.json {
            session.output.result(
                JSONValue(
                    ("header", jwt.header.json), ("payload", jwt.payload.json), ("signature", signature.json),
                    ("expiresOn", jwt.payload.date("exp").json)))
        } else {
            session.output.lines(Self.words(jwt, signature, now: Date()))
        }
        if case .wrong(let why) = signature { throw Failure(.untrustedResponse, "the signature is not right: \(why)") }
    }

    private func secret(_ session: Session) throws(Failure) -> Secret {
        if let id {
            guard token == nil else { throw Failure(.usage, "a token and --id exclude each other") }
            guard let found = try session.snapshot(nil).credentials(clientID: nil).first(where: { $0.id == id }) else {
                throw Failure(.notFound, "no cached token has the id \"\(id)\"", hint: "\"foyer tokens\" lists them")
            }
            return found.secret
        }
        guard let token else { throw Failure(.usage, "name a token, - for standard input, or --id KEY") }
        guard token == "-" else { return Secret(token) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= DecodedJWT.maximumLength + 2 {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(.invalidInput, "standard input is not text") }
        return Secret(text.trimmed)
    }

    static func words(_ jwt: DecodedJWT, _ signature: SignatureFinding, now: Date) -> [String] {
        var lines = ["HEADER"]
        lines += jwt.header.names.map { "  \($0): \(Self.plain(jwt.header, $0))" }
        lines.append("CLAIMS")
        for name in jwt.payload.names {
            var line = "  \(name): \(Self.plain(jwt.payload, name))"
            if ClaimMeanings.times.contains(name), let date = jwt.payload.date(name) {
                let away = date.timeIntervalSince(now)
                line += "  (\(date.rfc3339), " + (away >= 0 ? "in \(Span.words(away))" : "\(Span.words(-away)) ago") + ")"
            }
            if let meaning = ClaimMeanings.of(name) { line += "  — \(meaning)" }
            lines.append(line)
        }
        lines.append("SIGNATURE")
        lines.append("  " + signature.words)
        return lines
    }

    private static func plain(_ claims: Claims, _ name: String) -> String { claims.string(name) ?? claims.json(name) ?? "" }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        return String(text)
    }
}
