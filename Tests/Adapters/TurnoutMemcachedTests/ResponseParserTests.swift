import TurnoutSockets

/// Valid and invalid server responses, in parts of any size.
@Suite(.blocking) struct MemcachedResponseParserTests {
    private let response = Array("VALUE a 0 3 7\r\nx\r\n\r\nVALUE bb 5 0 18446744073709551615\r\n\r\nEND\r\n".utf8)
    private let values = [
        "a": StoredValue(text: Array("x\r\n".utf8), version: 7), "bb": StoredValue(text: [], version: .max),
    ]

    private func parser() -> ResponseParser { ResponseParser(valuesOf: ["a", "bb", "c"], partCount: 1) }

    @Test func aResponseMayArriveInPieces() throws {
        for first in 0...response.count {
            for second in first...response.count {
                let parser = parser()
                try parser.take(response[..<first])
                #expect(parser.completedParts == (first == response.count ? 1 : 0))
                try parser.take(response[first..<second])
                try parser.take(response[second...])
                #expect(parser.completedParts == 1 && parser.values == values)
            }
        }
    }

    @Test func aPartialResponseIsIncomplete() throws {
        for count in 0..<response.count {
            let parser = parser()
            for byte in response[..<count] { try parser.take([byte]) }
            #expect(parser.completedParts == 0, "after \(count) bytes")
        }
    }

    @Test func severalResponsesAreParsedInOrder() throws {
        let parser = ResponseParser(valuesOf: ["a", "b", "c"], partCount: 3)
        try parser.take(Array("VALUE b 0 1 1\r\nx\r\nEND\r\nEND\r\nVALUE c 0 1 2\r\ny\r\n".utf8))
        #expect(parser.completedParts == 2)
        try parser.take(Array("END\r\n".utf8))
        #expect(parser.completedParts == 3 && Set(parser.values.keys) == ["b", "c"])
    }

    @Test(arguments: [
        "END \r\n", "END\n", "\r\n", "\n", "STORED\r\n", "DELETED\r\n", "OK\r\n", "TOUCHED\r\n", "12\r\n",
        "VALUE a 0 3\r\n", "VALUE a 0 3 7 8\r\n", "VALUE  0 3 7\r\n", "VALUE x 0 3 7\r\n", "VALUE a 0 -3 7\r\n",
        "VALUE a 0 3x 7\r\n", "VALUE a 0 3 \r\n", "VALUE a 0 18446744073709551616 7\r\n",
        "VALUE a 99999999999999999999 3 7\r\n", "VALUE a 0 9223372036854775807 7\r\n",
        "VALUE a 0 18446744073709551615 7\r\n", "VALUE a 0 67108865 7\r\n", "VALUE a 0 1 7\r\nxyz",
        "VALUE a 0 1 7\r\nx\r\nVALUE a 0 1 7\r\nx\r\n", "value a 0 1 7\r\n", "END\r\nEND\r\n", "END\r\n\0", "ERROR\r\n",
        "CLIENT_ERROR\r\n", "SERVER_ERROR \r\n", "VALUE \u{1F642} 0 1 7\r\n",
    ])
    func invalidResponsesAreRefused(_ text: String) {
        let bytes = Array(text.utf8)
        for step in [1, 2, bytes.count] {
            let parser = parser()
            #expect(throws: StreamError.self) {
                for start in stride(from: 0, to: bytes.count, by: step) {
                    try parser.take(bytes[start..<min(start + step, bytes.count)])
                }
            }
        }
    }

    @Test(arguments: ["", "VALUE ", "STORED", "SERVER_ERROR ", "CLIENT_ERROR ", "1", "VALUE a 0 1"])
    func anEndlessLineIsRefusedEarly(_ start: String) throws {
        for parser in [parser(), ResponseParser()] {
            var taken = 0
            #expect(throws: StreamError.self) {
                try parser.take(Array(start.utf8))
                for _ in 0..<(20 << 20) / 512 {
                    taken += 512
                    try parser.take([UInt8](repeating: UInt8(ascii: "9"), count: 512))
                }
            }
            #expect(taken <= 2_048)
        }
        let line = [UInt8](repeating: UInt8(ascii: "a"), count: 20 << 20)
        #expect(throws: StreamError.self) { try parser().take(line) }
    }

    @Test func manySmallValuesAreBoundedTogether() throws {
        let parser = ResponseParser(valuesOf: (0..<100).map { "k\($0)" }, partCount: 1)
        let value = [UInt8](repeating: 0, count: ResponseParser.sizeLimit / 4)
        #expect(throws: StreamError.self) {
            for number in 0..<100 {
                try parser.take(Array("VALUE k\(number) 0 \(value.count) 1\r\n".utf8))
                try parser.take(value)
                try parser.take(Array("\r\n".utf8))
            }
        }
        #expect(parser.values.count == 4)
    }

    /// However a response is altered, only requested values in it are returned.
    @Test func corruptedResponsesYieldOnlyTheirOwnBytes() {
        let seed = UInt64.random(in: 0 ... .max)
        var bits = SplitMix(state: seed)
        let words = [
            "VALUE ", "END\r\n", "a", "bb", "c", " 0 ", "3", "STORED\r\n", "\r\n", "99999999999999999999", "\0",
        ]
        for _ in 0..<rounds(10_000, thorough: 100_000) {
            var bytes = response
            for _ in 0..<Int.random(in: 1...4, using: &bits) {
                let place = Int.random(in: 0...bytes.count, using: &bits)
                switch Int.random(in: 0..<4, using: &bits) {
                case 0: bytes.insert(contentsOf: words.randomElement(using: &bits)!.utf8, at: place)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                case 2 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &bits)
                default: bytes.append(contentsOf: response.prefix(place))
                }
            }
            let parser = Bool.random(using: &bits) ? parser() : ResponseParser()
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Int.random(in: 1...bytes.count, using: &bits))
                guard (try? parser.take(bytes[start..<end])) != nil else { break }
                start = end
            }
            #expect(parser.completedParts <= 1, "seed \(seed)")
            #expect(Set(parser.values.keys).isSubset(of: ["a", "bb", "c"]), "seed \(seed)")
            #expect(parser.values.values.allSatisfy { $0.text.count <= bytes.count }, "seed \(seed)")
        }
    }
}

extension ResponseParser {
    fileprivate func take(_ bytes: some Sequence<UInt8>) throws {
        let result: Result<Void, StreamError> = Array(bytes).withUnsafeBytes { bytes in
            Result { () throws(StreamError) in try take(bytes) }
        }
        try result.get()
    }
}
