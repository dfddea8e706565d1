/// The body of a request while it arrives.
struct RequestBody {
    /// The state after what has arrived.
    enum Next {
        case incomplete
        case complete
        case refused(RequestRefusal)
        /// The body is larger than the limit, and does not end.
        case endless
    }

    /// The request with what has arrived of its body.
    private(set) var request: ServerRequest
    /// The bytes that count towards the limit of all bodies.
    private(set) var reservedSize = 0
    /// The bytes that have not arrived; nil for a body in chunks.
    private var left: Int?
    private var chunks = ChunkReader()
    private let limit: BodyLimit
    /// How much is still read of a body in chunks that is larger than the limit.
    private var excess: Int?

    init(_ request: ServerRequest, contentLength: Int?, limit: BodyLimit) {
        (self.request, left, self.limit) = (request, contentLength, limit)
    }

    /// How much of a body in chunks is read after the limit, so that the client sees the response. Many clients
    /// read it only after they have sent everything.
    private static let readExcess = 1 << 20

    /// Takes what belongs to the body.
    mutating func read(_ input: inout [UInt8], lineLimit: Int) -> Next {
        var place = 0
        let next = input.withUnsafeBytes { read($0, &place, lineLimit) }
        input.removeFirst(place)
        return next
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer, _ place: inout Int, _ lineLimit: Int) -> Next {
        if let left {
            place = min(left, bytes.count)
            _ = append(bytes[..<place])
            self.left = left - place
            return left == place ? .complete : .incomplete
        }
        while true {
            switch chunks.next(in: bytes, at: &place, limit: lineLimit) {
            case .data(let range): if !append(bytes[range]) { return .endless }
            case .incomplete: return .incomplete
            case .end: return excess == nil ? .complete : .refused(limit.refusal)
            case .refused(let refusal): return .refused(refusal)
            }
        }
    }

    /// Returns false if too much follows after the limit.
    private mutating func append(_ part: Slice<UnsafeRawBufferPointer>) -> Bool {
        if excess == nil, request.body.count + part.count > limit.size {
            (request.body, excess) = ([], Self.readExcess)
        }
        if let excess {
            self.excess = excess - part.count
            return excess > part.count
        }
        request.body.append(contentsOf: part)
        reservedSize += part.count
        return true
    }
}
