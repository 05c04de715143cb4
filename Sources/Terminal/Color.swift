/// A theme color: the terminal's default, one of its 256 colors, or an exact one.
package enum Color: Hashable, Sendable {
    case terminal
    case indexed(UInt8)
    case rgb(red: UInt8, green: UInt8, blue: UInt8)

    package static let names = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "bright-black", "bright-red",
        "bright-green",
        "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan", "bright-white",
    ]

    /// `default`, a name, `0` to `255`, or `#rrggbb`; nil for anything else.
    package init?(_ text: String) {
        if text == "default" {
            self = .terminal
        } else if let index = Self.names.firstIndex(of: text), let number = UInt8(exactly: index) {
            self = .indexed(number)
        } else if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt8(text) {
            self = .indexed(number)
        } else if text.utf8.count == 7, text.first == "#", text.utf8.dropFirst().allSatisfy(Self.isHexadecimal),
            let value = UInt32(text.dropFirst(), radix: 16)
        {
            self = .rgb(
                red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
                blue: UInt8(truncatingIfNeeded: value))
        } else {
            return nil
        }
    }

    /// Replaces the first eight terminal colors with fixed light ones: those eight suit the terminal's own background,
    /// not a theme's dark one.
    var onDarkGround: Color {
        guard case .indexed(let index) = self, index < 8 else { return self }
        return .indexed(([250, 210, 114, 222, 111, 219, 117, 255] as [UInt8])[Int(index)])
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}

/// The number of terminal colors, which determines how theme colors are reduced.
package enum ColorDepth: Hashable, Sendable {
    case none, eight, sixteen, palette, direct

    /// From the number of colors that ncurses reports.
    package init(colors: Int) {
        switch colors {
        case ..<8: self = .none
        case ..<16: self = .eight
        case ..<256: self = .sixteen
        case ..<0x100_0000: self = .palette
        default: self = .direct
        }
    }
}

/// The color number for ncurses, -1 for the terminal's default. With eight colors, `bold` replaces the bright ones.
package struct ReducedColor: Hashable, Sendable {
    package let number: Int
    package let bold: Bool
}

extension Color {
    package func reduced(to depth: ColorDepth) -> ReducedColor {
        switch self {
        case .terminal: return ReducedColor(number: -1, bold: false)
        case .indexed(let index): return reduced(Int(index), to: depth)
        case .rgb(let red, let green, let blue):
            switch depth {
            case .direct: return ReducedColor(number: Int(red) << 16 | Int(green) << 8 | Int(blue), bold: false)
            case .palette: return ReducedColor(number: nearest(in: 16..<256), bold: false)
            case .none, .eight, .sixteen: return reduced(nearest(in: 0..<16), to: depth)
            }
        }
    }

    private func reduced(_ index: Int, to depth: ColorDepth) -> ReducedColor {
        switch depth {
        case .none: return ReducedColor(number: -1, bold: false)
        case .eight:
            let near = index < 16 ? index : nearest(in: 0..<16)
            // With eight colors, bright black usually appears as unreadable black; the default color is readable.
            if near == 8 { return ReducedColor(number: -1, bold: false) }
            return ReducedColor(number: near % 8, bold: near > 8)
        case .sixteen: return ReducedColor(number: index < 16 ? index : nearest(in: 0..<16), bold: false)
        case .palette: return ReducedColor(number: index, bold: false)
        case .direct:
            // On such a terminal, 0 to 7 are palette colors, and larger numbers exact colors.
            if index < 8 { return ReducedColor(number: index, bold: false) }
            let (red, green, blue) = Self.components(index)
            return ReducedColor(number: max(8, red << 16 | green << 8 | blue), bold: false)
        }
    }

    /// Red, green and blue in xterm, 0 to 255; nil for the terminal's default.
    package var components: (red: Int, green: Int, blue: Int)? {
        switch self {
        case .terminal: nil
        case .indexed(let index): Self.components(Int(index))
        case .rgb(let red, let green, let blue): (Int(red), Int(green), Int(blue))
        }
    }

    /// The index of the nearest color by weighted distance, as the eye is not equally sensitive to the three
    /// components.
    private func nearest(in range: Range<Int>) -> Int {
        guard let own = components else { return 7 }
        var best = range.lowerBound
        var smallest = Int.max
        for index in range {
            let other = Self.components(index)
            let red = own.red - other.red
            let green = own.green - other.green
            let blue = own.blue - other.blue
            let distance = 3 * red * red + 6 * green * green + blue * blue
            if distance < smallest {
                smallest = distance
                best = index
            }
        }
        return best
    }

    private static func components(_ index: Int) -> (red: Int, green: Int, blue: Int) {
        switch index {
        case 0: return (0, 0, 0)
        case 1: return (205, 0, 0)
        case 2: return (0, 205, 0)
        case 3: return (205, 205, 0)
        case 4: return (0, 0, 238)
        case 5: return (205, 0, 205)
        case 6: return (0, 205, 205)
        case 7: return (229, 229, 229)
        case 8: return (127, 127, 127)
        case 9: return (255, 0, 0)
        case 10: return (0, 255, 0)
        case 11: return (255, 255, 0)
        case 12: return (92, 92, 255)
        case 13: return (255, 0, 255)
        case 14: return (0, 255, 255)
        case 15: return (255, 255, 255)
        case 16..<232:
            let cube = index - 16
            let level = { (step: Int) in step == 0 ? 0 : 55 + 40 * step }
            return (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        default:
            let grey = 8 + 10 * (index - 232)
            return (grey, grey, grey)
        }
    }
}
