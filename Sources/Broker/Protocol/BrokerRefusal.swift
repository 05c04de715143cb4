package import Identity
package import StrictJSON

package struct BrokerRefusal: Error, Hashable, Sendable {
    /// `status` on the bus. MSAL's public numbers differ from 15 on.
    package enum Status: Int64, CaseIterable, Sendable {
        case unexpected = 0
        case interactionRequired = 2
        case noNetwork = 3
        case networkTemporarilyUnavailable = 4
        case serverTemporarilyUnavailable = 5
        case apiContractViolation = 6
        case userCanceled = 7
        case applicationCanceled = 8
        case incorrectConfiguration = 9
        case authorityUntrusted = 11
        case userSwitch = 12
        case accountUnusable = 13
        case transientError = 15
        case accountSwitch = 16
        case deviceNotRegistered = 17
        case keyNotFound = 18
        case accountNotFound = 19
    }

    package let status: Status
    /// The problem and the next step; callers show it to the user.
    package let context: String
    /// The provider's error number; 0 without one.
    package var errorCode: Int64 = 0

    package init(_ status: Status, _ context: String) { (self.status, self.context) = (status, context) }

    /// Callers do not treat an error without a tag as an error. This tag spells "foye".
    private static let tag: Int64 = 0x666F_7965

    package var json: JSONValue {
        [
            "brokerTokenResponse": [
                "error": [
                    "context": .string(context), "errorCode": Self.number(errorCode),
                    "status": Self.number(status.rawValue), "subStatus": 0, "tag": Self.number(Self.tag),
                ]
            ]
        ]
    }

    private static func number(_ number: Int64) -> JSONValue { .number(JSONNumber(text: String(number))) }
}

extension BrokerRefusal {
    package init(_ failure: Failure, hint: String?) {
        let status: Status =
            switch failure.code {
            case .interactionRequired, .declinedScopes, .notFound, .ambiguous: .interactionRequired
            case .serverError: failure.wantsDevice ? .deviceNotRegistered : .apiContractViolation
            case .unavailable:
                failure.oauthError == nil ? .networkTemporarilyUnavailable : .serverTemporarilyUnavailable
            case .storeError: .transientError
            case .untrustedResponse: .authorityUntrusted
            case .usage, .invalidInput: .apiContractViolation
            case .configuration: .incorrectConfiguration
            case .cancelled: .userCanceled
            }
        let codes = failure.serverCodeNames.joined(separator: ", ")
        let parts = [failure.message, hint ?? "", codes].filter { !$0.isEmpty }
        self.init(status, "foyer: " + parts.joined(separator: "; "))
        let deciding = ServerCode.known(
            failure.serverCodes, origin: failure.serverCodeOrigin, error: failure.oauthError
        ).first?.number
        errorCode = Int64(deciding ?? failure.serverCodes.first ?? 0)
    }
}
