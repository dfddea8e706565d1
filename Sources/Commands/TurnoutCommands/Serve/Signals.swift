#if Server
    import Dispatch

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// The signals that an operator sends to a server.
    final class Signals {
        /// The signals, as they arrive.
        let all: AsyncStream<Int32>
        private let sources: [any DispatchSourceSignal]

        /// Receives signals from now on, in place of their usual effect.
        init(_ numbers: [Int32]) {
            let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
            all = stream
            sources = numbers.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler { continuation.yield(number) }
                source.resume()
                return source
            }
        }

        /// Gives a signal its usual effect again: the second SIGINT ends a server that does not stop.
        func release(_ number: Int32) { signal(number, SIG_DFL) }
    }
#endif
