import func Glibc.mktime
import func Glibc.timegm
import struct Glibc.tm

/// A calendar time: `2026-11-21 04:00:37.963012` without a zone (Python), or `2026-11-21T04:00:37.963Z` (Node).
package struct LegacyTime: Hashable, Sendable {
    package let year: Int32
    package let month: Int32
    package let day: Int32
    package let hour: Int32
    package let minute: Int32
    package let second: Int32
    package let isUTC: Bool

    /// Nil for other formats, and for days and hours out of range.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (19...32).contains(bytes.count), bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":")
        else { return nil }
        func number(_ range: Range<Int>, _ allowed: ClosedRange<Int32>) -> Int32? {
            var value: Int32 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int32(byte - 0x30)
            }
            return allowed.contains(value) ? value : nil
        }
        guard let year = number(0..<4, 1970...9999), let month = number(5..<7, 1...12),
            let day = number(8..<10, 1...31),
            let hour = number(11..<13, 0...23), let minute = number(14..<16, 0...59),
            let second = number(17..<19, 0...60)
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { (0x30...0x39).contains($0) } }
        isUTC = rest.elementsEqual("Z".utf8)
        guard isUTC || rest.isEmpty else { return nil }
        (self.year, self.month, self.day, self.hour, self.minute, self.second) = (
            year, month, day, hour, minute, second
        )
    }

    /// Seconds since 1970, with the time read as UTC.
    package var secondsInUTC: Double {
        var parts = parts
        return Double(timegm(&parts))
    }

    /// Seconds since 1970, with the time read in this machine's zone; nil if the conversion fails.
    package var secondsInLocalZone: Double? {
        var parts = parts
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        return seconds == -1 ? nil : Double(seconds)
    }

    private var parts: tm {
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, month - 1, day)
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (hour, minute, second)
        return parts
    }
}
