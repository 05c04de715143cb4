/// How home account IDs are compared, everywhere.
///
/// Those of Entra ID, External ID and B2C are `uid.utid` and have no case: MSAL writes them in lower case, other
/// libraries as received, and B2C's contain the name of a policy. Such an account has no issuer, and its ID ends in the
/// GUID of the home tenant. A subject of AD FS or OpenID Connect is case-sensitive (OpenID Connect Core section 2) and
/// is compared byte for byte.
package enum HomeAccountID {
    /// Whether the part after the last dot is a GUID.
    package static func hasTenant(_ id: String) -> Bool {
        var id = id
        return id.withUTF8 { hasTenant(UnsafeRawBufferPointer($0)) }
    }

    package static func hasTenant(_ id: UnsafeRawBufferPointer) -> Bool {
        // A GUID has 36 characters and no dot.
        guard id.count > 36, id[id.count - 37] == UInt8(ascii: ".") else { return false }
        return UnsafeRawBufferPointer(rebasing: id[(id.count - 36)...]).isGUID
    }

    /// - Parameter issuer: of the account; nil at Entra ID, and if unknown.
    package static func ignoresCase(_ id: String, issuer: String?) -> Bool { issuer == nil && hasTenant(id) }

    /// - Parameter issuer: of both accounts; nil at Entra ID, and if unknown.
    package static func isSame(_ one: String, _ other: String, issuer: String?) -> Bool {
        one.isSameBytes(as: other)
            || (issuer == nil && one.isSameIgnoringCase(as: other) && ignoresCase(one, issuer: issuer))
    }

    /// One spelling for all equal IDs, for use in keys.
    package static func canonical(_ id: String, issuer: String?) -> String {
        ignoresCase(id, issuer: issuer) ? id.asciiLowercased : id
    }

    /// ``canonical(_:issuer:)`` of the bytes of an ID without an issuer; nil if they are canonical.
    package static func canonical(_ id: ArraySlice<UInt8>) -> [UInt8]? {
        guard id.contains(where: { $0 >= 0x41 && $0 <= 0x5A }), id.withUnsafeBytes({ hasTenant($0) }) else {
            return nil
        }
        return id.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }

    /// Whether a local account ID is the one of the home tenant, which the home account ID begins with; B2C appends the
    /// name of the policy.
    package static func isHome(_ local: String, of id: String) -> Bool {
        func begins(_ id: String, _ local: String) -> Bool {
            id == local || id.hasPrefix(local + ".") || id.hasPrefix(local + "-")
        }
        return begins(id, local) || (hasTenant(id) && begins(id.asciiLowercased, local.asciiLowercased))
    }

    /// Whether an ID begins with what a user typed.
    static func hasPrefix(_ text: String, _ id: String, issuer: String?) -> Bool {
        id.hasPrefix(text)
            || (ignoresCase(id, issuer: issuer) && id.asciiLowercased.hasPrefix(text.asciiLowercased))
    }
}

/// How client IDs are compared: those of Entra ID are GUIDs, which have no case.
package enum ClientID {
    /// - Parameter issuer: of the provider; nil for Entra ID, and if unknown.
    package static func ignoresCase(_ id: String, issuer: String? = nil) -> Bool { issuer == nil && id.isGUID }

    /// - Parameter issuer: of the provider of both; nil for Entra ID, and if unknown.
    package static func isSame(_ one: String, _ other: String, issuer: String? = nil) -> Bool {
        one.isSameBytes(as: other)
            || (issuer == nil && one.isSameIgnoringCase(as: other) && ignoresCase(one, issuer: issuer))
    }

    /// One spelling for all equal IDs.
    package static func canonical(_ id: String, issuer: String? = nil) -> String {
        ignoresCase(id, issuer: issuer) ? id.asciiLowercased : id
    }
}
