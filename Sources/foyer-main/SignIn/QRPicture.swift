import Identity
import Terminal

/// An address as a QR code below a device code, for the camera of a phone.
struct QRPicture {
    /// Its lines, with the colours that a camera needs where the terminal has colours.
    let text: String

    /// Lines of a terminal that the words around it take.
    private static let linesBeside = 14

    /// - Parameter isWanted: by an option; else there is one only where all of it and the words fit at once.
    init?(_ address: WebAddress, _ screen: ResultScreen, isWanted: Bool) {
        guard let columns = screen.columns, let code = QRCode(address.text) else { return nil }
        let rows = isWanted ? Int.max : screen.rows - Self.linesBeside
        guard !screen.glyphs.isASCII, let lines = code.lines(fitting: Size(rows: rows, columns: columns)) else {
            return nil
        }
        // Light modules are drawn: white on black is right on every background.
        text = "\n" + lines.map { screen.colors.isOn ? "\u{1B}[97;40m\($0)\u{1B}[0m\n" : $0 + "\n" }.joined() + "\n"
    }
}
