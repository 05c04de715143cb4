/// A device authorization, RFC 8628: a code that is shown on one device and entered on another.
struct DeviceGrant: Sendable {
    static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
    /// The lifetime of a user code at Entra ID, in seconds.
    static let lifetime = 900

    enum State: Sendable, Equatable { case pending, approved(String), denied, redeemed }

    var userCode: String
    var issuer: HostedIssuer
    var clientId: String
    var scopes: Scopes
    var expiresAt: Int
    var interval: Int
    var claims: String?
    var contexts: Set<String> = []
    var resources: [String] = []
    var lastPoll: Double?
    var polls = 0
    var state = State.pending
    var approvedAt = 0

    /// RFC 8628 section 6.1: ignores dashes, spaces and case.
    static func normal(_ userCode: String) -> String {
        String(userCode.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
    }
}

struct DeviceGrants: Sendable {
    private var byCode: [String: DeviceGrant] = [:]

    subscript(deviceCode: String) -> DeviceGrant? {
        get { byCode[deviceCode] }
        set { byCode[deviceCode] = newValue }
    }

    func pending(at now: Int) -> [DeviceGrant] { byCode.values.filter { $0.state == .pending && $0.expiresAt > now } }

    func code(for userCode: String, at now: Int) -> String? {
        let wanted = DeviceGrant.normal(userCode)
        return byCode.first {
            DeviceGrant.normal($0.value.userCode) == wanted && $0.value.state == .pending && $0.value.expiresAt > now
        }?
        .key
    }

    mutating func approve(_ deviceCode: String, _ user: User, contexts: Set<String>, at now: Int) {
        byCode[deviceCode]?.contexts = contexts
        byCode[deviceCode]?.state = .approved(user.username)
        byCode[deviceCode]?.approvedAt = now
    }

    mutating func deny(_ deviceCode: String) { byCode[deviceCode]?.state = .denied }

    mutating func sweep(at now: Int) {
        if byCode.count > 1000 { byCode = byCode.filter { $0.value.expiresAt + 3600 > now } }
    }
}

/// The possible results of a poll, as RFC 8628 and Entra ID express them.
enum DevicePollAnswer: String, Sendable {
    case pending
    case slowDown = "slow_down"
    case expired, denied, unknown

    func refusal(entra: Bool) -> OAuthErrorResponse {
        switch self {
        case .pending:
            OAuthErrorResponse(
                "authorization_pending", "OAuth 2.0 device flow error. Authorization is pending. Continue polling.",
                code: entra ? 70016 : 0
            )
        case .slowDown: OAuthErrorResponse("slow_down", "Polling too fast. Wait five seconds longer between requests.")
        case .expired:
            OAuthErrorResponse(
                "expired_token", "The verification code expired before the sign-in was completed.",
                code: entra ? 70019 : 0)
        case .denied:
            OAuthErrorResponse(
                entra ? "authorization_declined" : "access_denied", "The person declined the sign-in.",
                code: entra ? 65004 : 0)
        case .unknown:
            entra
                ? OAuthErrorResponse("bad_verification_code", "The device code is not valid.", code: 70018)
                : OAuthErrorResponse("invalid_grant", "the device code is not valid")
        }
    }
}
