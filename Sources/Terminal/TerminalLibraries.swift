import CNcurses
import CQREncode

package enum TerminalLibraries {
    /// Such as `6.4.20221231`.
    package static var ncurses: String? {
        curses_version().map { String(cString: $0) }.flatMap { $0.split(separator: " ").last }.map(String.init)
    }

    /// Such as `4.1.1`.
    package static var qrencode: String? { QRcode_APIVersionString().map { String(cString: $0) } }
}
