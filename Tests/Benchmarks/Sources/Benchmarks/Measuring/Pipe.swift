import Glibc

/// A pipe of which a child process gets one end. No other child inherits it.
struct Pipe {
    let reading: Int32
    let writing: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Puts bytes into it until it takes no more: the next write waits.
    func fill() {
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let page = [UInt8](repeating: 0, count: 4096)
        while write(writing, page, page.count) > 0 {}
        while write(writing, page, 1) > 0 {}
        _ = fcntl(writing, F_SETFL, 0)
    }

    /// Everything until the other end is closed, at most 1 MiB.
    func readAll() -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 1_048_576 {
            let count = read(reading, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The first line, without its end; nil when there is none.
    func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: [UInt8] = [0]
        while bytes.count < 1_048_576, read(reading, &byte, 1) == 1 {
            guard byte[0] != UInt8(ascii: "\n") else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte[0])
        }
        return nil
    }

    func closeReading() { close(reading) }
    func closeWriting() { close(writing) }
}
