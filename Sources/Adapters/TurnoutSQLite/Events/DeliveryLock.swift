#if SQLite
    import TurnoutClient

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// Lets one store deliver at a time, of all stores and processes that share a queue. The system gives the lock free
    /// when a process dies.
    final class DeliveryLock: Sendable {
        private struct State {
            var isTaken = false
            var file: Int32 = -1
        }

        private let path: String?
        private let state = Locked(State())

        init(directory: String?, queue: String) {
            path = directory.map { "\($0)/turnout.sqlite-delivery-\(Self.fileName(of: queue))" }
        }

        deinit { state.withLock { if $0.file >= 0 { close($0.file) } } }

        /// Letters, digits and `-` are themselves, other bytes hexadecimal; long names end in a checksum.
        private static func fileName(of queue: String) -> String {
            var name = ""
            for byte in queue.utf8 {
                let isPlain = byte < 128 && (Character(Unicode.Scalar(byte)).isLetter || 48...57 ~= byte || byte == 45)
                name += isPlain ? String(Unicode.Scalar(byte)) : "_" + String(byte, radix: 16)
            }
            guard name.utf8.count > 100 else { return name }
            var sum = Checksum()
            sum.add(queue)
            return name.prefix(80) + "_" + String(UInt64(bitPattern: sum.value), radix: 16)
        }

        /// Takes the lock if nobody has it.
        func take() -> Bool {
            state.withLock { state in
                guard !state.isTaken else { return false }
                guard let path else {
                    state.isTaken = true
                    return true
                }
                let file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
                if file >= 0, flock(file, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                    close(file)
                    return false
                }
                // Where files cannot be locked, delivering twice is better than never: receivers drop repeats.
                state.file = file
                state.isTaken = true
                return true
            }
        }

        /// Gives the lock free.
        func give() {
            state.withLock { state in
                if state.file >= 0 { close(state.file) }
                state = State()
            }
        }
    }
#endif
