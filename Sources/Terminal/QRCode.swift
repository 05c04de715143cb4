import CQREncode

/// A QR code of a sign-in address, made with libqrencode and drawn with half blocks. Where UTF-8 is missing it is drawn
/// with coloured spaces. The user code stays written beside it: a code no one can scan must not block a sign-in.
package struct QRCode: Equatable, Sendable {
    /// Modules per side, without the quiet zone.
    package let side: Int
    private let dark: [Bool]

    /// The light margin that ISO/IEC 18004 asks for is four modules; two are enough for cameras, and fit 24 rows.
    package static let quietZone = 2

    /// Nil when `text` is empty or longer than 1 KiB: such a code would fit no screen.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 1024, let count = Int32(exactly: bytes.count) else { return nil }
        guard let code = QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        // Version 1 is 21 modules wide, version 40 is 177.
        guard let width = Int(exactly: code.pointee.width), (21...177).contains(width), let data = code.pointee.data
        else {
            return nil
        }
        side = width
        // The lowest bit of each byte is the colour; the others say what the module is for.
        dark = (0..<width * width).map { data[$0] & 1 == 1 }
    }

    /// Whether the module is dark. The quiet zone, and everything beyond, is light.
    package func isDark(row: Int, column: Int) -> Bool {
        guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
        return dark[row * side + column]
    }

    /// The cells it takes, with its quiet zone.
    package func size(_ glyphs: Glyphs) -> Size {
        let whole = side + 2 * Self.quietZone
        return glyphs.isASCII ? Size(rows: whole, columns: whole * 2) : Size(rows: (whole + 1) / 2, columns: whole)
    }

    package func fits(_ size: Size, glyphs: Glyphs) -> Bool {
        let own = self.size(glyphs)
        return own.rows <= size.rows && own.columns <= size.columns
    }

    /// Rows of half blocks where the light modules are drawn, for a dark terminal; nil when they do not fit.
    package func lines(fitting room: Size) -> [String]? {
        guard fits(room, glyphs: .utf8) else { return nil }
        return halves { top, bottom in Self.halfBlock(top: !top, bottom: !bottom) }
    }

    /// Draws it at the top left of `rect`; false, and nothing drawn, when it does not fit.
    package func draw(in grid: inout Grid, rect: Rect) -> Bool {
        guard fits(rect.intersection(grid.bounds).size, glyphs: grid.glyphs) else { return false }
        if !grid.glyphs.isASCII {
            let rows = halves { top, bottom in Self.halfBlock(top: top, bottom: bottom) }
            for (offset, row) in rows.enumerated() { grid.put(row, at: rect.at(row: offset), style: .role(.qr)) }
            return true
        }
        let zone = Self.quietZone
        for row in -zone..<side + zone {
            for column in -zone..<side + zone {
                let style = Style(role: .qr, reverse: isDark(row: row, column: column))
                grid.put("  ", at: rect.at(row: row + zone, column: 2 * (column + zone)), style: style)
            }
        }
        return true
    }

    private func halves(_ block: (_ top: Bool, _ bottom: Bool) -> Character) -> [String] {
        let zone = Self.quietZone
        return stride(from: -zone, to: side + zone, by: 2).map { row in
            String((-zone..<side + zone).map { block(isDark(row: row, column: $0), isDark(row: row + 1, column: $0)) })
        }
    }

    private static func halfBlock(top: Bool, bottom: Bool) -> Character {
        switch (top, bottom) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
