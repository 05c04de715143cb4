import Dispatch
import Glibc

/// Waits for SIGINT, SIGTERM, SIGHUP or, if requested, the end of standard input.
struct ShutdownSignal {
    private let stream: AsyncStream<Void>
    /// A source is cancelled when it is released.
    private let signals: [any DispatchSourceSignal]

    init(withStandardInput: Bool) {
        let (stream, over) = AsyncStream<Void>.makeStream()
        self.stream = stream
        signals = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { over.yield() }
            source.resume()
            return source
        }
        guard withStandardInput else { return }
        DispatchQueue.global().async {
            var buffer = [UInt8](repeating: 0, count: 512)
            while true {
                let count = read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
            }
            over.yield()
        }
    }

    func wait() async {
        for await _ in stream { return }
    }
}
