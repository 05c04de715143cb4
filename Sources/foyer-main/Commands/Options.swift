public import ArgumentParser
import CommandSupport
public import Identity

/// Options of a command, each declared by a row of ``RequestField``'s table.
@dynamicMemberLookup
protocol RequestOptions: ParsableArguments, CustomReflectable {
    static var groups: [RequestField.Group] { get }
    var options: TokenOptions { get set }
}

struct SharedOptions: RequestOptions {
    static let groups: [RequestField.Group] = [.common]
    var options = TokenOptions()

    func choices() throws(Failure) -> TokenOptions { try options.checked() }
}

struct InteractiveOptions: RequestOptions {
    static let groups: [RequestField.Group] = [.signIn]
    var options = TokenOptions()
}

struct TokenCommandOptions: RequestOptions {
    static let groups: [RequestField.Group] = [.token]
    var options = TokenOptions()
}

struct PlainOption: RequestOptions {
    static let groups: [RequestField.Group] = [.interface]
    var options = TokenOptions()
}

/// Only --tenant, for commands that never prompt.
struct TenantOption: RequestOptions {
    static let groups: [RequestField.Group] = []
    var options = TokenOptions()
}

extension RequestOptions {
    subscript<Value>(dynamicMember member: KeyPath<TokenOptions, Value>) -> Value { options[keyPath: member] }

    func adding(_ others: any RequestOptions...) -> TokenOptions {
        var all = options
        for other in others { for (field, _) in other.fields { field.copy(from: other.options, to: &all) } }
        return all
    }

    fileprivate var fields: [(field: RequestField, name: String)] {
        let rows =
            Self.groups.isEmpty ? [RequestField.tenant] : RequestField.all.filter { Self.groups.contains($0.group) }
        return rows.compactMap { field in field.option.map { (field, $0) } }
    }

    /// The properties as the argument parser finds them.
    var customMirror: Mirror {
        Mirror(self, children: fields.map { field, name in (label: "_" + name, value: field.property(name)) })
    }

    init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: OptionKey.self)
        for (field, name) in fields { try field.read(container, OptionKey(name), into: &options) }
    }
}

private struct OptionKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension RequestField {
    fileprivate func property(_ name: String) -> Any {
        let option = NameSpecification.customLong(name)
        let text = ArgumentHelp(.init(stringLiteral: help), valueName: value)
        return switch member {
        case .text: Option<String?>(name: option, help: text, completion: completion.kind)
        case .texts: Option<[String]>(wrappedValue: [], name: option, help: text, completion: completion.kind)
        case .flag: Flag<Bool>(wrappedValue: false, name: option, help: ArgumentHelp(.init(stringLiteral: help)))
        case .seconds: Option<Double?>(name: option, help: text)
        case .number: Option<Int?>(name: option, help: text)
        case .method: Option<SignInMethod?>(name: option, help: text)
        case .prompt: Option<Prompt?>(name: option, help: text)
        case .responseMode: Option<ResponseMode?>(name: option, help: text)
        }
    }

    fileprivate func read(
        _ container: KeyedDecodingContainer<OptionKey>, _ key: OptionKey, into options: inout TokenOptions
    ) throws {
        func value<Value: Decodable>(_ type: Value.Type) throws -> Value { try container.decode(type, forKey: key) }
        switch member {
        case .text(let path): options[path] = try value(Option<String?>.self).wrappedValue
        case .texts(let path): options[path] = try value(Option<[String]>.self).wrappedValue
        case .flag(let path): options[path] = try value(Flag<Bool>.self).wrappedValue
        case .seconds(let path): options[path] = try value(Option<Double?>.self).wrappedValue
        case .number(let path): options[path] = try value(Option<Int?>.self).wrappedValue
        case .method(let path): options[path] = try value(Option<SignInMethod?>.self).wrappedValue
        case .prompt(let path): options[path] = try value(Option<Prompt?>.self).wrappedValue
        case .responseMode(let path): options[path] = try value(Option<ResponseMode?>.self).wrappedValue
        }
    }
}

extension RequestField.Completion {
    fileprivate var kind: CompletionKind? {
        switch self {
        case .none: nil
        case .clients: .known(.clients)
        case .accounts: .known(.accounts)
        case .scopes: .known(.scopes)
        case .stores: .known(.stores)
        case .files: .file()
        }
    }
}

extension SignInMethod: ExpressibleByArgument {}
extension Prompt: ExpressibleByArgument {}
extension ResponseMode: ExpressibleByArgument {}
