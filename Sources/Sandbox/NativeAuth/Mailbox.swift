/// A message with a one-time code, for users on a page and for tests.
struct Mail: Sendable {
    static let limit = 200

    var to: String
    var subject: String
    var code: String
    var sentAt: Int

    /// `c***n@shop.example`: shown to users who may not own the address.
    static func label(_ address: String) -> String {
        let halves = address.split(separator: "@", maxSplits: 1)
        guard halves.count == 2, let first = halves[0].first, let last = halves[0].last else { return "***" }
        return "\(first)***\(halves[0].count > 1 ? String(last) : "")@\(halves[1])"
    }
}

struct Mailbox: Sendable {
    private var mails: [Mail] = []

    mutating func sendCode(to address: String, subject: String, digits: Int, at now: Int) -> String {
        let code = RandomValue.letters(digits, of: "0123456789")
        mails.append(Mail(to: address.lowercased(), subject: subject, code: code, sentAt: now))
        if mails.count > Mail.limit { mails.removeFirst(mails.count - Mail.limit) }
        return code
    }

    /// Newest first.
    ///
    /// - Parameter address: nil for all addresses.
    func mails(to address: String?) -> [Mail] {
        let wanted = address?.lowercased()
        return mails.filter { wanted == nil || $0.to == wanted }.reversed()
    }

    func document(of address: String?) -> JSON {
        .members([
            "mails": .array(
                mails(to: address).map {
                    .members([
                        "to": .string($0.to), "subject": .string($0.subject), "code": .string($0.code),
                        "sent_at": .int($0.sentAt),
                    ])
                })
        ])
    }
}

extension Pages {
    static func mailbox(_ mails: [Mail], now: Int) -> SandboxResponse {
        let rows = mails.map {
            """
            <p><b>\(escape($0.to))</b>: \(escape($0.subject)): <code>\(escape($0.code))</code> \
            <small>\(now - $0.sentAt) s ago</small></p>
            """
        }
        return page("Mailbox", rows.isEmpty ? "<p>No mail yet.</p>" : rows.joined(separator: "\n"))
    }
}
