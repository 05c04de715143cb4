import CQREncode

/// A QR code of a sign-in URL, from libqrencode, drawn with half blocks, or with colored spaces without UTF-8. The user
/// code is always shown as well, so that an unreadable QR code does not prevent a sign-in.
package struct QRCode: Equatable, Sendable {
    /// Modules per side, without the quiet zone.
    package let side: Int
    private let dark: [Bool]

    /// ISO/IEC 18004 requires a margin of four modules; cameras need only two, which fit in 24 rows.
    package static let quietZone = 2

    /// Nil if `text` is empty or over 1 KiB, as no screen could show its code.
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
        // The lowest bit of each byte is the color; the others give the module's function.
        dark = (0..<width * width).map { data[$0] & 1 == 1 }
    }

    /// Whether the module is dark. The quiet zone and everything outside is light.
    package func isDark(row: Int, column: Int) -> Bool {
        guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
        return dark[row * side + column]
    }

    package func size(_ glyphs: Glyphs) -> Size {
        let whole = side + 2 * Self.quietZone
        return glyphs.isASCII ? Size(rows: whole, columns: whole * 2) : Size(rows: (whole + 1) / 2, columns: whole)
    }

    package func fits(_ size: Size, glyphs: Glyphs) -> Bool {
        let own = self.size(glyphs)
        return own.rows <= size.rows && own.columns <= size.columns
    }

    /// Rows of half blocks that draw the light modules, for a dark terminal; nil if they do not fit.
    package func lines(fitting room: Size) -> [String]? {
        guard fits(room, glyphs: .utf8) else { return nil }
        return halves { top, bottom in Self.halfBlock(top: !top, bottom: !bottom) }
    }

    /// Draws it at the top left of `rect`. If it does not fit, draws nothing and returns false.
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
