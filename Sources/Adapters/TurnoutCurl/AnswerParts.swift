#if Curl && os(Linux)
    import TurnoutClient

    /// An answer as it arrives.
    struct AnswerParts {
        private var headers: [String: String] = [:]
        private var lastName: String?
        private var body: [UInt8] = []
        private let limit: Int
        private var headSize = 0
        private var status = 0
        /// Whether the whole head is there.
        private(set) var hasHead = false
        /// Whether the answer became larger than allowed.
        private(set) var isTooLarge = false

        init(limit: Int) { self.limit = limit }

        // More than servers accept of each other. Not all versions of libcurl end a head that goes on and on.
        private static let longestHead = 256 * 1_024

        /// Takes a line of the head, with its end. False: it is too much.
        mutating func add(line bytes: UnsafeRawBufferPointer) -> Bool {
            headSize += bytes.count
            isTooLarge = isTooLarge || headSize > Self.longestHead
            if !isTooLarge { read(line: bytes) }
            return !isTooLarge
        }

        private mutating func read(line bytes: UnsafeRawBufferPointer) {
            let end = bytes.lastIndex { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
            let line = String(decoding: bytes[..<(end.map { $0 + 1 } ?? 0)], as: UTF8.self)
            if line.hasPrefix("HTTP/") {
                // The head before announced this one.
                (headers, lastName, hasHead) = ([:], nil, false)
                status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            } else if hasHead {
                // What follows the body is not part of the head.
            } else if line.isEmpty {
                hasHead = true
                isTooLarge = announcesTooMuch
            } else if line.first == " " || line.first == "\t" {
                if let lastName { headers[lastName]? += " " + line.trimmingBlanks }
            } else if let colon = line.firstIndex(of: ":") {
                add(line[..<colon].lowercased(), String(line[line.index(after: colon)...]).trimmingBlanks)
            }
        }

        /// Whether a body will come that is too large, so that nobody needs to wait for it. Some heads tell the length
        /// of a body that does not come.
        private var announcesTooMuch: Bool {
            guard status >= 200, status != 204, status != 304, let length = headers["content-length"] else {
                return false
            }
            return Int(length).map { $0 > limit } ?? true
        }

        private mutating func add(_ name: String, _ value: String) {
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
            lastName = name
        }

        /// Takes a piece of the body, decompressed. False: it is too much.
        mutating func add(body piece: UnsafeRawBufferPointer) -> Bool {
            guard piece.count <= limit - body.count else {
                isTooLarge = true
                return false
            }
            body.append(contentsOf: piece)
            return true
        }

        func response(status: Int) -> HTTPResponse { HTTPResponse(status: status, headers: headers, body: body) }
    }
#endif
