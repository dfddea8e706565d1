#if Server
    /// Detects what libmicrohttpd 0.9 accepts silently in a request's head: zero bytes, lines that end without a
    /// carriage return, folded lines, and blanks beside a name or within the request line.
    ///
    /// The library leaves the head where it was received, and puts zeros at the ends of names, values and lines. So
    /// each part must begin exactly where the one before it ends. A zero byte in place of a carriage return is not
    /// found: it looks like what the library writes there. It ends the line just the same.
    struct HeadLayout {
        private let start: UnsafeRawPointer?
        /// Where the next line must begin.
        private var next: UnsafeRawPointer?

        /// Begins with the request line.
        init(
            method: UnsafeRawBufferPointer, target: UnsafeRawPointer?, targetSize: Int, version: UnsafeRawBufferPointer
        ) {
            start = method.baseAddress
            guard let end = method.end, let target, end + 1 == target, target + targetSize + 1 == version.baseAddress
            else { return }
            next = Self.lineEnd(after: version)
        }

        /// Continues with a header. Blanks before the value are allowed.
        mutating func add(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            guard let start = name.baseAddress, start == next, let end = name.end, var place = value.baseAddress,
                place > end
            else { return next = nil }
            while place > end + 1 {
                place -= 1
                let byte = place.load(as: UInt8.self)
                guard byte == 0x20 || byte == 0x09 else { return next = nil }
            }
            next = Self.lineEnd(after: value)
        }

        /// Whether everything was in its place up to the empty line, in as many bytes as there were.
        func isComplete(in size: Int) -> Bool {
            guard let start, let next else { return false }
            return next + 2 - start == size && next.loadUnaligned(as: UInt16.self) == 0
        }

        /// Where the line after one with a carriage return begins. At least two more bytes were received.
        private static func lineEnd(after part: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
            guard let end = part.end, end.loadUnaligned(as: UInt16.self) == 0 else { return nil }
            return end + 2
        }
    }

    /// The address of a request line as the library shows it before it changes it.
    struct TargetText {
        /// The bytes.
        let bytes: UnsafeRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        /// Keeps the library from reading the query, which we read ourselves: it would take 70 bytes of the
        /// connection's memory for each parameter, and refuse a request with some hundred of them.
        func hideQuery() {
            guard let start = bytes.baseAddress, let place = bytes.firstIndex(of: UInt8(ascii: "?")) else { return }
            UnsafeMutableRawPointer(mutating: start + place + 1).storeBytes(of: 0, as: UInt8.self)
        }
    }

    /// The other parts of a request line.
    struct RequestLine {
        let method: UnsafeRawBufferPointer
        let version: UnsafeRawBufferPointer
    }

    extension UnsafeRawBufferPointer {
        fileprivate var end: UnsafeRawPointer? { baseAddress.map { $0 + count } }
    }
#endif
