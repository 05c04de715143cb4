import Dispatch
import Glibc

/// Ctrl-C and SIGTERM end a sign-in in good order, so that the listener closes and the error is told.
enum Interrupt {
    struct Watch {
        fileprivate let sources: [any DispatchSourceSignal]
        func cancel() { for source in sources { source.cancel() } }
    }

    static func watch(_ action: @escaping @Sendable () -> Void) -> Watch {
        let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: action)
            source.resume()
            return source
        }
        return Watch(sources: sources)
    }
}
