import CServer

package struct Zlib: Decompressor {
    private let level: Int32

    /// Creates a compressor.
    ///
    /// - Parameter level: 1 is fast, 9 is small. Default: 6, zlib's own. For content that is compressed once and
    ///   sent often, use 9.
    package init(level: Int = 6) { self.level = Int32(min(max(level, 1), 9)) }

    /// Compresses content with gzip. The result depends on the content and the level alone: it contains no time.
    ///
    /// - Returns: Nil without memory.
    package func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        stream.initialize(to: z_stream())
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                stream, level, Z_DEFLATED, Self.gzipWindow, Self.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size
            )
                == Z_OK
        else { return nil }
        defer { deflateEnd(stream) }
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            let bound = Int(deflateBound(stream, UInt(input.count)))
            return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(bound))
                // The output has room for everything, so one call is enough.
                deflate(stream, Z_FINISH)
                count = bound - Int(stream.pointee.avail_out)
            }
        }
    }

    package func decompress(
        _ bytes: [UInt8], _ encoding: ContentEncoding, limit: Int
    ) throws(DecompressionError) -> [UInt8] {
        switch encoding {
        case .gzip: return try inflate(bytes, window: Self.gzipWindow, limit: limit)
        case .deflate:
            // The first bytes of zlib's format: the method 8, and a multiple of 31.
            let isZlib =
                bytes.count > 1 && bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
            return try inflate(bytes, window: isZlib ? Self.window : -Self.window, limit: limit)
        }
    }

    /// The largest window; zlib adds 16 to it for gzip, and negates it for content without header and checksum.
    private static let window: Int32 = 15
    private static let gzipWindow = window + 16
    private static let memoryLevel: Int32 = 8

    private func inflate(_ bytes: [UInt8], window: Int32, limit: Int) throws(DecompressionError) -> [UInt8] {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .invalid
        }
        defer { inflateEnd(stream) }
        var (input, output): ([UInt8], [UInt8]) = (bytes, [])
        let result = input.withUnsafeMutableBufferPointer { input in
            (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
            return Self.inflate(stream, hasParts: window == Self.gzipWindow, limit: limit, &output)
        }
        if let result { throw result }
        return output
    }

    /// Expands everything; returns the error.
    private static func inflate(
        _ stream: UnsafeMutablePointer<z_stream>, hasParts: Bool, limit: Int, _ output: inout [UInt8]
    ) -> DecompressionError? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32 << 10) { buffer in
            while true {
                (stream.pointee.next_out, stream.pointee.avail_out) = (buffer.baseAddress, UInt32(buffer.count))
                let result = CServer.inflate(stream, Z_NO_FLUSH)
                let count = buffer.count - Int(stream.pointee.avail_out)
                guard output.count + count <= limit else { return .tooLarge }
                output.append(contentsOf: buffer[..<count])
                switch result {
                case Z_OK: continue
                case Z_STREAM_END where stream.pointee.avail_in == 0: return nil
                // A gzip file may have several parts.
                case Z_STREAM_END where hasParts && inflateReset(stream) == Z_OK: continue
                default: return .invalid
                }
            }
        }
    }
}
