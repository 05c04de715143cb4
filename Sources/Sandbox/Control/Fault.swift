/// A scripted failure. The first matching fault applies and later ones wait, so a list of faults with `times` is a
/// script: pending, pending, slow_down, then the real response.
package struct Fault: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case pending, slowDown, expired, denied
        case error(String, suberror: String?, codes: [Int], claims: String?, description: String?, status: Int)
        /// An HTTP status without an OAuth body; `retryAfter` in seconds.
        case status(Int, retryAfter: Int?)
        case late(seconds: Double)
        /// Answers at the next release, so that what happens meanwhile takes the time that it needs.
        case held
        case cutOff
        case hugeBody(bytes: Int)
        case redirect(to: String)
        case html
        case idToken(TokenFault)
        /// Replaces members of the JSON response, or parameters of the redirect; null removes them.
        case override([JSON.Member])
        /// 429 until the specified time has passed.
        case throttle(RateLimit)
        /// Lasting behavior instead of a single response; see ``Quirk``.
        case quirk(Quirk)
    }

    package var kind: Kind
    package var user: String?
    package var client: String?
    /// The tenant of the request, by ID or domain. If the address has none, the home tenant of the user in the request.
    package var tenant: String?
    /// `token`, `token:refresh_token`, `devicecode`, …; nil for the default of the kind, or any.
    package var endpoint: String?
    package var times: Int?

    package init(
        _ kind: Kind, endpoint: String? = nil, user: String? = nil, client: String? = nil, tenant: String? = nil,
        times: Int? = nil
    ) {
        self.kind = kind
        self.endpoint = endpoint == "device" ? "devicecode" : endpoint
        self.user = user?.lowercased()
        self.client = client
        self.tenant = tenant.map { Directory.tenant($0)?.id ?? $0.lowercased() }
        self.times = times
    }

    /// Reads JSON such as `{"kind":"error","error":"invalid_grant","endpoint":"token","times":1}`.
    init(_ json: JSON) throws(OAuthErrorResponse) {
        guard let name = json["kind"]?.string else { throw OAuthErrorResponse("invalid_request", "a fault has a kind") }
        self.init(
            try Fault.kind(name, json), endpoint: json["endpoint"]?.string, user: json["user"]?.string,
            client: json["client"]?.string,
            tenant: json["tenant"]?.string, times: json["times"]?.int)
    }

    static func read(_ json: JSON) throws(OAuthErrorResponse) -> [Fault] {
        guard json["kind"]?.string == "profile" else { return [try Fault(json)] }
        let name = json["name"]?.string ?? ""
        guard let quirks = Quirk.profiles[name] else {
            throw OAuthErrorResponse("invalid_request", "there is no profile of the name \(name.prefix(80))")
        }
        return quirks.map { Fault(.quirk($0)) }
    }

    private static func kind(_ name: String, _ json: JSON) throws(OAuthErrorResponse) -> Kind {
        if let bend = TokenFault(rawValue: name == "idToken" ? json["mutation"]?.string ?? "" : name), name != "expired"
        {
            return .idToken(bend)
        }
        if let quirk = Quirk(rawValue: name == "quirk" ? json["name"]?.string ?? "" : name) {
            return .quirk(quirk)
        }
        switch name {
        case "pending": return .pending
        case "slow_down": return .slowDown
        case "expired": return .expired
        case "denied": return .denied
        case "error":
            return .error(
                json["error"]?.string ?? "server_error", suberror: json["suberror"]?.string,
                codes: json["codes"]?.array?.compactMap(\.int) ?? [], claims: json["claims"]?.string,
                description: json["description"]?.string, status: httpStatus(json["status"]?.int) ?? 400)
        case "status": return .status(httpStatus(json["status"]?.int) ?? 503, retryAfter: json["retry_after"]?.int)
        case "late":
            guard let seconds = json["seconds"] else { return .late(seconds: 1) }
            if case .double(let number) = seconds { return .late(seconds: number) }
            return .late(seconds: Double(seconds.int ?? 1))
        case "held": return .held
        case "cutOff": return .cutOff
        case "hugeBody": return .hugeBody(bytes: json["bytes"]?.int ?? 2 << 20)
        case "redirect": return .redirect(to: json["location"]?.string ?? "https://elsewhere.invalid/")
        case "html": return .html
        case "throttle":
            return .throttle(RateLimit(seconds: json["retry_after"]?.int ?? 30, asDate: json["date"]?.bool ?? false))
        case "override":
            let fields = json["fields"]?.members ?? []
            let raw = (json["raw"]?.members ?? []).compactMap { member in
                member.value.string.map { JSON.Member(name: member.name, value: .raw($0)) }
            }
            return .override(fields + raw)
        default: throw OAuthErrorResponse("invalid_request", "there is no fault of the kind \(name)")
        }
    }

    private static func httpStatus(_ number: Int?) -> Int? { number.flatMap { (200...599).contains($0) ? $0 : nil } }

    private var place: String? {
        if let endpoint { return endpoint == "any" ? nil : endpoint }
        return switch kind {
        case .pending, .slowDown, .expired, .denied: "token:device_code"
        case .idToken, .override, .throttle: "token"
        case .error, .status, .late, .held, .cutOff, .hugeBody, .redirect, .html, .quirk: nil
        }
    }

    func fits(_ names: [String], user: String?, client: String?, tenant: String?) -> Bool {
        if case .quirk = kind { return false }
        return (times ?? 1) > 0 && (place.map(names.contains) ?? true) && (self.user == nil || self.user == user)
            && (self.client == nil || self.client == client) && (self.tenant == nil || self.tenant == tenant)
    }

    func refusal(entra: Bool) -> OAuthErrorResponse? {
        switch kind {
        case .pending: DevicePollAnswer.pending.refusal(entra: entra)
        case .slowDown: DevicePollAnswer.slowDown.refusal(entra: entra)
        case .expired: DevicePollAnswer.expired.refusal(entra: entra)
        case .denied: DevicePollAnswer.denied.refusal(entra: entra)
        case .error(let error, let suberror, let codes, let claims, let description, let status):
            Fault.refusal(error, suberror, codes, claims, description ?? "The sandbox was told to refuse.", status)
        case .status, .late, .held, .cutOff, .hugeBody, .redirect, .html, .idToken, .override, .throttle, .quirk: nil
        }
    }

    private static func refusal(
        _ error: String, _ suberror: String?, _ codes: [Int], _ claims: String?, _ description: String, _ status: Int
    ) -> OAuthErrorResponse {
        var refusal = OAuthErrorResponse(error, description, suberror: suberror, claims: claims, status: status)
        refusal.codes = codes
        return refusal
    }

    var replacement: SandboxResponse? {
        switch kind {
        case .status(let status, let retryAfter):
            var answer = SandboxResponse.empty(status)
            if let retryAfter { answer.headers.append(("Retry-After", String(retryAfter))) }
            return answer
        case .redirect(let location): return .redirect(to: location, status: 307)
        case .html:
            return SandboxResponse(
                status: 200, headers: [("Content-Type", "text/html; charset=utf-8")],
                body: "<!DOCTYPE html><title>Welcome</title><p>Please accept the terms of this network.</p>\n")
        case .pending, .slowDown, .expired, .denied, .error, .late, .held, .cutOff, .hugeBody, .idToken, .override,
            .throttle, .quirk:
            return nil
        }
    }

    func spoil(_ answer: SandboxResponse) -> SandboxResponse {
        var answer = answer
        switch kind {
        case .late(let seconds): answer.delaySeconds = min(max(seconds, 0), 600)
        case .held: answer.isHeld = true
        case .cutOff: answer.delivery = .cutOff
        case .hugeBody(let bytes): answer.delivery = .swollen(min(max(bytes, 1), 1 << 30))
        case .override(let members): answer = Fault.override(members, in: answer)
        case .pending, .slowDown, .expired, .denied, .error, .status, .redirect, .html, .idToken, .throttle, .quirk:
            break
        }
        return answer
    }

    private static func override(_ members: [JSON.Member], in answer: SandboxResponse) -> SandboxResponse {
        var answer = answer
        if let place = answer.headers.firstIndex(where: { $0.name == "Location" }) {
            let halves = answer.headers[place].value.split(
                separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var form = Form(parsing: halves.count > 1 ? halves[1] : "")
            for member in members {
                form.set(member.name, member.value == .null ? nil : member.value.string ?? member.value.text)
            }
            answer.headers[place].value = form.appended(to: String(halves[0]))
        } else if var body = try? JSON(parsing: answer.body), body.members != nil {
            for member in members { body[member.name] = member.value == .null ? nil : member.value }
            answer.body = body.text
        }
        return answer
    }
}
