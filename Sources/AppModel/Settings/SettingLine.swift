/// The current value of a setting and its source.
package struct SettingLine: Equatable, Sendable {
    /// The source of a value; the first ones take precedence.
    package enum Source: Equatable, Sendable {
        case option(String)
        case environment(String)
        /// The settings file, with the line if known.
        case file(line: Int?)
        case standard
    }

    /// How it can be changed on the screen.
    package enum Choice: Equatable, Sendable {
        /// Only in the file.
        case byHand
        case theme, mouse
        case oneOf([String])
    }

    package var name: String
    package var value: String
    package var source: Source
    package var choice: Choice

    package init(_ name: String, _ value: String, _ source: Source, choice: Choice = .byHand) {
        (self.name, self.value, self.source, self.choice) = (name, value, source, choice)
    }
}

package enum SettingValue: Equatable, Sendable {
    case text(String)
    case flag(Bool)
}

extension SettingLine.Source {
    var name: String {
        switch self {
        case .option(let name): "option \(name)"
        case .environment(let name): "environment, \(name)"
        case .file(let line): "settings file" + (line.map { ", line \($0)" } ?? "")
        case .standard: "default"
        }
    }

    var words: String { self == .standard ? name : "from the " + name }
}
