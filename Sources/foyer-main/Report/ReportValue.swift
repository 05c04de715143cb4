import CommandSupport
import FoundationEssentials
import StrictJSON

/// A value of a report: words, numbers, times and correlation IDs only, so it cannot hold any other text.
indirect enum ReportValue: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    case unknown
    case flag(Bool)
    case number(Int64)
    case word(ReportWord)
    case time(Date)
    case id(UUID)
    case list([ReportValue])
    case object([Member])

    struct Member: Hashable, Sendable {
        let name: ReportWord
        let value: ReportValue
    }

    init(stringLiteral text: StaticString) { self = .word(ReportWord(stringLiteral: text)) }
    init(booleanLiteral value: Bool) { self = .flag(value) }

    init(_ word: ReportWord?) { self = word.map { .word($0) } ?? .unknown }
    init(_ number: (some BinaryInteger)?) {
        self = number.flatMap { Int64(exactly: $0) }.map { .number($0) } ?? .unknown
    }

    /// Members without a value are left out.
    init(_ members: (ReportWord, ReportValue?)...) { self.init(members) }
    init(_ members: [(ReportWord, ReportValue?)]) {
        self = .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    var json: JSONValue {
        switch self {
        case .unknown: .null
        case .flag(let flag): .bool(flag)
        case .number(let number): JSONValue(integer: number)
        case .word(let word): word.text.json
        case .time(let time): time.rfc3339.json
        case .id(let id): id.uuidString.lowercased().json
        case .list(let values): .array(values.map(\.json))
        case .object(let members): JSONValue(members.map { ($0.name.text, $0.value.json) })
        }
    }
}
