import Identity
import StrictJSON
import Waiting

@testable import Wire

/// Short ways to values that many tests need.
enum Samples {
    /// A transport for the time of `body`.
    static func transport<T>(
        timeout: Duration = Waiting.end, certificateFile: String? = nil, _ body: (Transport) async throws -> T
    )
        async throws -> T
    {
        let transport = Transport(NetworkSettings(certificateFile: certificateFile, timeout: timeout / .seconds(1)))
        do {
            let result = try await body(transport)
            await transport.close()
            return result
        } catch {
            await transport.close()
            throw error
        }
    }

    static func object(_ text: String) throws -> JSONObject {
        guard let object = try JSONValue(parsing: Array(text.utf8)).object else {
            throw JSONError(offset: 0, problem: .notAnObject)
        }
        return object
    }

    /// Metadata of a provider at an origin; `issuer` and more can be said otherwise.
    static func metadata(
        _ origin: String = "https://id.example.org", issuer: String? = nil, announcesIssuer: Bool = false,
        scopes: ScopeSet = [],
        authorization: String? = nil
    ) throws -> ProviderMetadata {
        ProviderMetadata(
            issuer: issuer ?? origin, authorization: try WebAddress(authorization ?? origin + "/authorize"),
            token: try WebAddress(origin + "/token"),
            device: try WebAddress(origin + "/device"), keys: try WebAddress(origin + "/keys"),
            userInfo: try WebAddress(origin + "/userinfo"),
            revocation: try WebAddress(origin + "/revoke"), endSession: try WebAddress(origin + "/logout"),
            registration: nil,
            announcesIssuer: announcesIssuer, scopes: scopes)
    }

    /// What was thrown, as the room's own error; nil when nothing was.
    static func error(_ body: () async throws(WireError) -> Void) async -> WireError? {
        do {
            try await body()
            return nil
        } catch { return error }
    }
}

extension WireError {
    /// The name of the check that failed, for `untrusted`.
    var check: String? {
        if case .untrusted(let check, _) = self { return check.rawValue }
        return nil
    }
}
