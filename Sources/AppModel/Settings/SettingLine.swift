/// One setting as it is now, and who said so.
package struct SettingLine: Equatable, Sendable {
    /// Where a value comes from, in the order in which one is stronger than the next.
    package enum Source: Equatable, Sendable {
        case option(String)
        case environment(String)
        /// The settings file, and the line where it is known.
        case file(line: Int?)
        case standard
    }

    /// What can be done about it on the screen.
    package enum Choice: Equatable, Sendable {
        /// Written in the file by hand.
        case byHand
        case theme, mouse
        /// One of these.
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

/// What is written into the settings file.
package enum SettingValue: Equatable, Sendable {
    case text(String)
    case flag(Bool)
}

extension SettingLine.Source {
    /// Below the name of its column.
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
