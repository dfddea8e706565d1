#if Server
    import Dispatch
    import LibC

    /// The signals that an operator sends to a server.
    final class Signals {
        /// The signals, as they arrive.
        let all: AsyncStream<Int32>
        private let sources: [any DispatchSourceSignal]

        /// Receives signals in place of their usual effect. Those that arrive after this call are not lost.
        init(_ numbers: [Int32]) async {
            let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
            all = stream
            sources = numbers.map { number in
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler { continuation.yield(number) }
                return source
            }
            for (number, source) in zip(numbers, sources) {
                signal(number, SIG_IGN)
                // A source is registered in the background. Until then the signal would be ignored.
                await withCheckedContinuation { registration in
                    source.setRegistrationHandler { registration.resume() }
                    source.resume()
                }
            }
        }

        /// Gives a signal its usual effect again: the second SIGINT ends a server that does not stop.
        func release(_ number: Int32) { signal(number, SIG_DFL) }
    }
#endif
