import TurnoutSockets

/// Replies of a server, and bytes that are none, in parts of any size.
@Suite(.blocking) struct ReplyReaderTests {
    private let input = Array(
        "+OK\r\n-ERR é\r\n:-7\r\n$3\r\na\r\n\r\n$-1\r\n*-1\r\n*0\r\n*2\r\n*2\r\n+\r\n$0\r\n\r\n*0\r\n".utf8)
    private let replies: [Reply] = [
        .text("OK"), .error("ERR é"), .integer(-7), .text("a\r\n"), .null, .null, .array([]),
        .array([.array([.text(""), .text("")]), .array([])]),
    ]

    private func reader() -> ReplyReader { ReplyReader([replies.count]) }

    @Test func repliesMayArriveInPieces() throws {
        for first in 0...input.count {
            for second in first...input.count {
                let reader = reader()
                try reader.take(input[..<first])
                #expect(reader.completedParts == (first == input.count ? 1 : 0))
                try reader.take(input[first..<second])
                try reader.take(input[second...])
                #expect(reader.completedParts == 1 && reader.replies == replies)
            }
        }
    }

    @Test func partialRepliesAreIncomplete() throws {
        for count in 0..<input.count {
            let reader = reader()
            for byte in input[..<count] { try reader.take([byte]) }
            #expect(reader.completedParts == 0 && replies.starts(with: reader.replies), "after \(count) bytes")
        }
    }

    @Test func partsAreCompletedByTheirReplies() throws {
        let reader = ReplyReader([1, 2, 1])
        try reader.take(Array("+a\r\n+b\r\n".utf8))
        #expect(reader.completedParts == 1)
        try reader.take(Array("+c\r\n$1\r\nd".utf8))
        #expect(reader.completedParts == 2 && reader.replies.count == 3)
        try reader.take(Array("\r\n".utf8))
        #expect(reader.completedParts == 3)
    }

    @Test func bytesThatAreNotTextAreKept() throws {
        let reader = ReplyReader([1])
        try reader.take(Array("$2\r\n".utf8) + [0xC3, 0x28] + Array("\r\n".utf8))
        #expect(reader.replies == [.bytes([0xC3, 0x28])])
    }

    @Test(arguments: [
        "\r\n", "\n", "OK\r\n", "+OK\n", "+\n", "+a\nb\r\n", ":\r\n", ":x\r\n", ": 1\r\n", ":1 \r\n", ":0x1\r\n",
        ":1.5\r\n", ":9223372036854775808\r\n", ":99999999999999999999999\r\n", "$\r\n", "$-2\r\n", "$x\r\n",
        "$1\r\nab\r\n", "$1\r\na\n\n", "$0\r\nab", "$67108865\r\n", "$9223372036854775807\r\n",
        "$-9223372036854775808\r\n", "*\r\n", "*-2\r\n", "*x\r\n", "*1048577\r\n", "*9223372036854775807\r\n",
        "*1\r\nx\r\n", "+1\r\n+2\r\n", "+1\r\n\0", "*1048576\r\n*1\r\n", "*600000\r\n*600000\r\n", "_\r\n", "#t\r\n",
        ",1.5\r\n", "(1\r\n", "!1\r\na\r\n", "=5\r\ntxt:a\r\n", "%0\r\n", "~0\r\n", ">0\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "\0\0\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
    ])
    func invalidRepliesAreRefused(_ text: String) {
        let bytes = Array(text.utf8)
        for step in [1, 2, bytes.count] {
            let reader = ReplyReader([1])
            let error = #expect(throws: StreamError.self) {
                for start in stride(from: 0, to: bytes.count, by: step) {
                    try reader.take(bytes[start..<min(start + step, bytes.count)])
                }
            }
            #expect(error?.kind == .invalidResponse)
        }
    }

    @Test(arguments: ["+", "-ERR ", ":", ":1", "$", "$1", "*", "*1\r\n+"])
    func anEndlessLineIsRefusedEarly(_ start: String) {
        let reader = ReplyReader([1])
        var taken = 0
        #expect(throws: StreamError.self) {
            try reader.take(Array(start.utf8))
            for _ in 0..<(20 << 20) / 512 {
                taken += 512
                try reader.take([UInt8](repeating: UInt8(ascii: "9"), count: 512))
            }
        }
        #expect(taken <= ReplyReader.longestLine + 512)
    }

    @Test func theTextsOfAReplyAreBoundedTogether() {
        let reader = ReplyReader([1])
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: ReplyReader.sizeLimit / 4)
        var taken = 0
        #expect(throws: StreamError.self) {
            try reader.take(Array("*100\r\n".utf8))
            for _ in 0..<100 {
                try reader.take(Array("$\(text.count)\r\n".utf8) + text + Array("\r\n".utf8))
                taken += 1
            }
        }
        #expect(taken == 3 && reader.replies.isEmpty)
    }

    @Test(.thorough) func replyAfterReplyMayBeLarge() throws {
        let reader = ReplyReader([2])
        let one = Array("*600000\r\n".utf8) + repeatElement(":1\r\n".utf8, count: 600_000).joined()
        for _ in 0..<2 { try reader.take(one) }
        #expect(reader.completedParts == 1)
    }

    /// However replies are altered, they are parsed or refused, and how they arrive makes no difference.
    @Test func alteredRepliesAreParsedTheSameInPieces() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix(state: seed)
        let words = ["$", "*", "*2\r\n", "$1\r\n", "-1", ":", "+", "\r\n", "\n", "99999999999999999999", "\0"]
        for _ in 0..<rounds(10_000, thorough: 100_000) {
            var bytes = input
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(contentsOf: words[Int.random(in: 0..<words.count, using: &random)].utf8, at: place)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                case 2 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
                default: bytes.append(contentsOf: input.prefix(place))
                }
            }
            let (whole, pieces) = (reader(), reader())
            let isValid = (try? whole.take(bytes)) != nil
            var (start, isValidInPieces) = (0, true)
            while start < bytes.count, isValidInPieces {
                let end = min(bytes.count, start + Int.random(in: 1...bytes.count, using: &random))
                isValidInPieces = (try? pieces.take(bytes[start..<end])) != nil
                start = end
            }
            #expect(isValid == isValidInPieces && whole.replies == pieces.replies, "seed \(seed)")
            #expect(whole.replies.count <= replies.count, "seed \(seed)")
        }
    }
}

extension ReplyReader {
    fileprivate func take(_ bytes: some Sequence<UInt8>) throws {
        let result: Result<Void, StreamError> = Array(bytes).withUnsafeBytes { bytes in
            Result { () throws(StreamError) in try take(bytes) }
        }
        try result.get()
    }
}
