/// Checks the request line and the headers of a request, and makes a ``RequestHead`` of them.
///
/// A server and a proxy in front of it must agree where a request ends and which host it addresses. Requests that
/// they could read differently are refused. (RFC 9112, sections 3, 5.2, 6.3 and 11.2)
package struct RequestHeadReader: Sendable {
    /// The length of the body; nil without a `Content-Length`.
    package private(set) var contentLength: Int?
    /// Whether the body is sent in chunks.
    package private(set) var isChunked = false

    private var refusal: RequestRefusal?
    private var method = ""
    private var target = RequestTarget()
    private var isHTTP11 = false
    private var headers = HeaderFields()
    private var host: String?

    /// Creates a reader for one request.
    package init() {}

    /// Reads the address of the request line.
    package mutating func readTarget(_ target: UnsafeRawBufferPointer) {
        do { self.target = try RequestTarget(target) } catch { refusal = error }
    }

    /// Reads the other parts of the request line.
    package mutating func readRequestLine(method: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer) {
        self.method = String(decoding: method, as: UTF8.self)
        switch self.method {
        case "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS": break
        default: refuse("unknown method")
        }
        switch String(decoding: version, as: UTF8.self) {
        case "HTTP/1.1": isHTTP11 = true
        case "HTTP/1.0": break
        default: refuse(505, "only HTTP/1.1 and HTTP/1.0 are supported")
        }
    }

    package mutating func readField(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { return refuse("a header has an invalid name") }
        let value = value.withoutBlanks
        guard value.allSatisfy(\.isValueCharacter) else { return refuse("a header has an invalid character") }
        let field = HeaderFields.Field(
            name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
        headers.append(field.name, field.value)
        switch name.count {
        case 4 where field.name.equalsIgnoringCase("Host"): readHost(field.value)
        case 6 where field.name.equalsIgnoringCase("Expect"):
            if !field.value.equalsIgnoringCase("100-continue") { refuse(417, "unknown expectation") }
        case 14 where field.name.equalsIgnoringCase("Content-Length"): readContentLength(value)
        case 17 where field.name.equalsIgnoringCase("Transfer-Encoding"): readTransferEncoding(field.value)
        default: break
        }
    }

    /// Refuses the request, for a reason that only the listener sees.
    package mutating func refuse(_ status: Int, _ reason: String) {
        if refusal == nil { refusal = RequestRefusal(status, reason) }
    }

    private mutating func refuse(_ reason: String) { refuse(400, reason) }

    /// The head, after the last header.
    package func head(remoteAddress: String) throws(RequestRefusal) -> RequestHead {
        if let refusal { throw refusal }
        if target.path == "*", method != "OPTIONS" { throw RequestRefusal(400, "only OPTIONS is for the whole server") }
        if isHTTP11, host == nil { throw RequestRefusal(400, "no Host header") }
        if contentLength != nil, isChunked {
            throw RequestRefusal(400, "both Content-Length and Transfer-Encoding")
        }
        if isChunked, !isHTTP11 { throw RequestRefusal(400, "Transfer-Encoding in HTTP/1.0") }
        if let authority = target.authority, let host, !authority.equalsIgnoringCase(host) {
            throw RequestRefusal(400, "the Host header is not the address's host")
        }
        return RequestHead(
            method, target.path, query: target.query, headers: headers, remoteAddress: remoteAddress)
    }

    // MARK: Headers that decide where a request ends and which host it addresses

    private mutating func readHost(_ value: String) {
        if host != nil { refuse("more than one Host header") }
        if value.utf8.contains(where: { !$0.isHostCharacter }) { refuse("invalid Host header") }
        host = value
    }

    private mutating func readContentLength(_ value: UnsafeRawBufferPointer.SubSequence) {
        if contentLength != nil { refuse("more than one Content-Length") }
        contentLength = 0
        guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return refuse("invalid Content-Length")
        }
        // 18 digits always fit.
        guard value.count <= 18 else { return refuse(413, RequestRefusal.bodyTooLarge.reason) }
        contentLength = value.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private mutating func readTransferEncoding(_ value: String) {
        if isChunked || !value.equalsIgnoringCase("chunked") { refuse("unknown Transfer-Encoding") }
        isChunked = true
    }
}

extension UnsafeRawBufferPointer {
    /// Without blanks and tabs at its ends.
    fileprivate var withoutBlanks: SubSequence {
        var rest = self[...]
        while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return rest
    }
}

extension UInt8 {
    /// Whether names of methods and headers may contain it. (RFC 9110, section 5.6.2)
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E: true  // digits, letters, ^ _ ` | ~
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E: true  // ! # $ % & ' * + - .
        default: false
        }
    }

    /// Whether values of headers may contain it: no control characters but the tab. (RFC 9110, section 5.5)
    fileprivate var isValueCharacter: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// Whether a host and its port may contain it. (RFC 3986, section 3.2.2)
    fileprivate var isHostCharacter: Bool {
        switch self {
        case 0x22, 0x23, 0x2C, 0x2F, 0x3C, 0x3E, 0x3F, 0x40, 0x5C, 0x5E, 0x60, 0x7B...0x7D: false  // " # , / < > ? @ \
        default: (0x21...0x7E).contains(self)
        }
    }
}
