import Identity
import StrictJSON

extension TokenStorePart {
    /// Appended to the name of a plain file, or of a keyring store's signal file.
    var suffix: String {
        switch self {
        case .cache: ""
        case .proofKeys: ".keys"
        case .clientSecrets: ".secrets"
        }
    }
}

struct StoreContent {
    var bytes: [UInt8]
    /// Results of a scan during the read; nil if there was none.
    var screen: JSONByteScan?
}
