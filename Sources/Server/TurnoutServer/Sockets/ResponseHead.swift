/// The status line and the headers of a response.
struct ResponseHead {
    /// The bytes, with the empty line at their end.
    let bytes: [UInt8]
    /// Whether responses of the status have no content.
    let hasNoBody: Bool

    init(_ response: ServerResponse, isHTTP10: Bool, closes: Bool, date: String) {
        let status = response.status
        hasNoBody = status == 204 || status == 304 || status < 200
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\nDate: \(date)\r\n"
        // A value with a line break is left out: what follows would be another header.
        for field in response.headers.fields where field.value.utf8.allSatisfy({ $0 >= 0x20 || $0 == 0x09 }) {
            text += "\(field.name): \(field.value)\r\n"
        }
        if closes {
            text += "Connection: close\r\n"
        } else if isHTTP10 {
            text += "Connection: keep-alive\r\n"
        }
        if !hasNoBody {
            switch response.body {
            case .bytes(let bytes): text += "Content-Length: \(bytes.count)\r\n"
            case .shared(let body): text += "Content-Length: \(body.bytes.count)\r\n"
            case .stream: if !isHTTP10 { text += "Transfer-Encoding: chunked\r\n" }
            case .closed: break
            }
        }
        bytes = Array((text + "\r\n").utf8)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

/// What a connection has to send.
struct OutputQueue {
    private var parts: [[UInt8]] = []
    /// The part to send next, and how much of it was sent.
    private var (first, offset) = (0, 0)

    var isEmpty: Bool { parts.isEmpty }

    /// Adds bytes. Shared content is not copied.
    mutating func append(_ bytes: [UInt8]) { if !bytes.isEmpty { parts.append(bytes) } }

    /// Adds a head and its content, in one piece if the content is short.
    mutating func append(_ head: [UInt8], _ content: [UInt8]) {
        guard content.count > 8_192 else { return append(head + content) }
        append(head)
        append(content)
    }

    /// Calls a function with the bytes to send next.
    func withFirst<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        parts[first].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    /// Removes bytes that were sent.
    mutating func removeFirst(_ count: Int) {
        offset += count
        guard offset == parts[first].count else { return }
        (first, offset) = (first + 1, 0)
        if first == parts.count { (parts, first) = ([], 0) }
    }
}
