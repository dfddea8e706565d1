#if Cassandra
    import TurnoutClient

    /// A value that is made when it is first needed. Callers that need it meanwhile wait for the same attempt. A failed
    /// attempt is forgotten, and the next caller makes another one. Waiting blocks no thread.
    final class SharedValue<Value: Sendable>: Sendable {
        typealias Outcome = Result<Value, ProfileServerError>
        typealias Receiver = @Sendable (Outcome) -> Void

        private enum State {
            case missing
            case pending([Receiver])
            case known(Value)
        }

        private let state = Locked((State.missing, generation: Fork.generation))

        /// Passes the value to `receive`, at once if it is known.
        ///
        /// - Parameters:
        ///   - receive: Called once, on any thread.
        ///   - make: Makes the value, and passes it on.
        func get(_ receive: @escaping Receiver, orMake make: (@escaping Receiver) -> Void) {
            let (value, makes): (Value?, Bool) = state.withLock { state in
                // In a forked process, the threads that serve the value do not exist.
                if state.generation != Fork.generation { state = (.missing, Fork.generation) }
                switch state.0 {
                case .known(let value): return (value, false)
                case .pending(let receivers):
                    state.0 = .pending(receivers + [receive])
                    return (nil, false)
                case .missing:
                    state.0 = .pending([receive])
                    return (nil, true)
                }
            }
            if let value { return receive(.success(value)) }
            if makes { make { self.end($0) } }
        }

        private func end(_ outcome: Outcome) {
            let receivers: [Receiver] = state.withLock { state in
                guard case .pending(let receivers) = state.0 else { return [] }
                state.0 = if case .success(let value) = outcome { .known(value) } else { .missing }
                return receivers
            }
            for receive in receivers { receive(outcome) }
        }
    }
#endif
