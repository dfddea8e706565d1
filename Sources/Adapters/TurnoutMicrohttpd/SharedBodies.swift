#if Server
    import TurnoutClient
    import TurnoutServer

    /// Content that does not move, for the library.
    final class StableBytes: Sendable {
        /// The number of bytes.
        let count: Int
        private let address: UInt

        init(_ bytes: [UInt8]) {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            copy.copyBytes(from: bytes)
            count = bytes.count
            address = UInt(bitPattern: copy.baseAddress)
        }

        deinit { start?.deallocate() }

        /// The first byte.
        var start: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }
    }

    /// The content of shared bodies, copied once per body. It is released after its body.
    final class SharedBodies: Sendable {
        private struct Entry {
            weak var body: SharedBody?
            let bytes: StableBytes
        }

        private let entries = Locked<[ObjectIdentifier: Entry]>([:])

        /// The content of a body.
        subscript(body: SharedBody) -> StableBytes {
            let key = ObjectIdentifier(body)
            // Another body may have had the same address.
            let known = entries.withLock { entries in entries[key].flatMap { $0.body === body ? $0.bytes : nil } }
            if let known { return known }
            let bytes = StableBytes(body.bytes)
            entries.withLock { entries in
                entries = entries.filter { $0.value.body != nil }
                entries[key] = Entry(body: body, bytes: bytes)
            }
            return bytes
        }
    }
#endif
