// LegacyCaches reads the caches that ADAL left behind, from bytes: each format has its own file, and all give the same
// entries. The content is hostile: nothing that it names is instantiated, called or opened. This target does no input
// or output and knows nothing of the store; Tests/walls keeps its imports to those that cannot write.

package import Identity

package import struct FoundationEssentials.Date

/// One token, or pair of tokens, of a legacy cache.
///
/// What it says of the person is what the file says: the home account identifier is there only if the file had one, as
/// guessing it from the object and tenant identifiers gives the wrong one for guests.
package struct LegacyEntry: Hashable, Sendable {
    /// What the entry's refresh token is good for.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// There is no refresh token.
        case accessTokenOnly
        /// Good for the entry's own resource; the v2 endpoint takes it for others too.
        case singleResource
        /// Good for every resource of the client.
        case multiResource
        /// Good for every client of the family.
        case family
    }

    package var kind: Kind
    /// Who issued the tokens, with the tenant that was asked: often `common`.
    package var authority: Authority
    /// What the access token is for; nil where the entry is for all.
    package var resource: String?
    package var clientID: String
    /// The name that the person signs in by, as the file has it; nil for what AD FS gave without an ID token.
    package var userID: String?
    /// Whether ``userID`` is a name that a person would type, and not one that the library made up.
    package var isUserIDShown = true
    /// `uid.utid`, only if the file says it: ADAL for Objective-C since 2.7, and what MSAL for .NET wrote.
    package var homeAccountID: String?
    /// The object identifier in the tenant of the tokens.
    package var objectID: String?
    /// The tenant that issued the tokens, if it is known beyond the authority.
    package var tenantID: String?
    /// Who vouches for the person, where the file says it.
    package var identityProvider: String?
    package var name: String?
    package var refreshToken: Secret?
    package var accessToken: Secret?
    /// When the access token ends.
    package var expiresOn: Date?
    package var extendedExpiresOn: Date?
    /// `1` for Microsoft's family.
    package var familyID: String?
    /// Of the ID token, for showing: nobody has checked it, and ADAL's are seldom signed.
    package var idTokenClaims = Claims()

    /// The scopes that stand for the resource on the v2 endpoint; nil where the entry is for all resources.
    ///
    /// `/.default` is put behind the resource as it is, so that one that ends in a slash gets two: its audience has the
    /// slash as well.
    package var scopes: ScopeSet? {
        guard let resource, ScopeSet.isScope(resource + "/.default") else { return nil }
        return ScopeSet.everything(of: resource)
    }

    /// Whether the access token has ended, or is not there.
    package func isExpired(at now: Date) -> Bool {
        guard accessToken != nil, let expiresOn else { return true }
        return expiresOn <= now
    }

    /// Whether the tokens are of another tenant than the person's own, so that nothing can be told of the home account.
    package var isGuest: Bool {
        let tenant = (tenantID ?? authority.tenant).asciiLowercased
        if let home = homeAccountID?.split(separator: ".").last, String(home).isGUID, tenant.isGUID {
            return home.asciiLowercased != tenant
        }
        guard let identityProvider, tenant.isGUID else { return false }
        return !identityProvider.asciiLowercased.contains(tenant)
    }
}

/// Why an item of a legacy cache, or a whole one, was not taken. Quotes nothing of it but an application's identifier.
package struct LegacyProblem: Hashable, Sendable, CustomStringConvertible {
    /// The situations.
    package enum Situation: Error, Hashable, Sendable {
        /// None of the formats that are known.
        case unknownFormat
        /// A format of this name that is known, and why it is not read.
        case notLegacy(String)
        /// The unified cache of MSAL, which is a store and needs no import.
        case unified
        case tooLarge
        case encoding(String)
        /// A format of a version that is not known.
        case version(String)
        /// The file, or the item, ends before it is complete.
        case truncated
        /// The file's structure is wrong at this byte.
        case structure(offset: Int, what: String)
        /// More items than are read.
        case tooMany
        /// Its parts refer to each other so often that reading goes on for too long.
        case overused
        case trailingBytes(Int)
        case missing(String)
        case malformed(String)
        /// It is an object of another class.
        case unexpectedClass(String)
        /// A removed entry's place.
        case tombstone
        /// An application's own secret, which is no person's.
        case applicationCredential(clientID: String)
        /// A device's primary refresh token: only its broker can use it.
        case brokerToken
    }

    /// Which item it was, counted from 1 in the order of the file; nil when it is about the whole file.
    package let item: Int?
    package let situation: Situation

    package init(_ situation: Situation, item: Int? = nil) { (self.situation, self.item) = (situation, item) }

    package var description: String {
        let what =
            switch situation {
            case .unknownFormat: "this is no cache of a kind that is known"
            case .notLegacy(let what): what
            case .unified: "it is a cache of the present format"
            case .tooLarge: "it is larger than \(LegacyCache.maximumBytes / 1_048_576) MiB"
            case .encoding(let what): "its text cannot be read: \(what)"
            case .version(let what): what
            case .truncated: "it ends too early"
            case .structure(let offset, let what): "\(what) (byte \(offset))"
            case .tooMany: "it has more than \(LegacyCache.maximumItems) items; the rest is left out"
            case .overused: "it refers to the same parts over and over; the rest is left out"
            case .trailingBytes(let count): "\(count) bytes follow its end"
            case .missing(let field): "it has no \(field)"
            case .malformed(let field): "its \(field) is malformed"
            case .unexpectedClass(let what): what
            case .tombstone: "it is the place of a removed entry"
            case .applicationCredential(let clientID):
                "it is the secret of the application \(clientID), not a person's sign-in"
            case .brokerToken: "it is a device's primary refresh token, which only its broker can use"
            }
        return item.map { "item \($0): \(what)" } ?? what
    }

    /// Whether something is wrong, and not merely nothing for a person's sign-in.
    package var isDamage: Bool {
        switch situation {
        case .tombstone, .applicationCredential, .brokerToken, .notLegacy, .unified: false
        case .unknownFormat, .tooLarge, .encoding, .version, .truncated, .structure, .tooMany, .overused,
            .trailingBytes, .missing,
            .malformed,
            .unexpectedClass:
            true
        }
    }
}

extension LegacyEntry {
    package init(kind: Kind, authority: Authority, clientID: String) {
        (self.kind, self.authority, self.clientID) = (kind, authority, clientID)
    }
}

/// What a legacy cache holds: the entries that can be read, and what is wrong with the others.
package struct LegacyCache: Hashable, Sendable {
    /// The formats, detected by what a file begins with and not by its name.
    package enum Format: String, Hashable, Sendable, CaseIterable {
        /// ADAL for Python and the Azure CLI before 2.30: `accessTokens.json`.
        case python
        /// ADAL.NET version 3: `TokenCache.dat`.
        case dotNet
        /// ADAL for Objective-C: an archive of one item, a Mac's whole cache, or exported keychain items.
        case objectiveC

        /// The name for a person to read.
        package var name: String {
            switch self {
            case .python: "ADAL for Python or the old Azure CLI"
            case .dotNet: "ADAL.NET"
            case .objectiveC: "ADAL for Objective-C"
            }
        }
    }

    /// Largest file that is read, in bytes.
    package static let maximumBytes = 16_777_216
    /// Most items that are read.
    package static let maximumItems = 10_000

    /// Nil when the format is not known; then there is one problem that says so.
    package var format: Format?
    package var entries: [LegacyEntry] = []
    /// Which item of the file each entry was, counted from 1; in the order of ``entries``.
    package var items: [Int] = []
    package var problems: [LegacyProblem] = []
}
