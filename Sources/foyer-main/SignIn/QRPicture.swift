import Identity
import Terminal

/// A URL as a QR code below a device code, for a phone's camera.
struct QRPicture {
    /// Its lines, with the colors that a camera needs, if the terminal has colors.
    let text: String

    /// Lines of the terminal for the text around it.
    private static let linesBeside = 14

    /// - Parameter isWanted: by an option; else only if it fits together with the text.
    init?(_ address: WebAddress, _ screen: ResultScreen, isWanted: Bool) {
        guard let columns = screen.columns, let code = QRCode(address.text) else { return nil }
        let rows = isWanted ? Int.max : screen.rows - Self.linesBeside
        guard !screen.glyphs.isASCII, let lines = code.lines(fitting: Size(rows: rows, columns: columns)) else {
            return nil
        }
        // Draws the light modules: white on black works on every background.
        text = "\n" + lines.map { screen.colors.isOn ? "\u{1B}[97;40m\($0)\u{1B}[0m\n" : $0 + "\n" }.joined() + "\n"
    }
}
