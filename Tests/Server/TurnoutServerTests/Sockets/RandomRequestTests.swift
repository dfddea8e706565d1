import TestSupport
import TurnoutServer

@Suite("Random requests", .blocking)
struct RandomRequestTests {
    /// Bytes that decide where lines, names and values end.
    private static let bytes = Array("\0\r\n\n\t :0aA,;=?/%\u{7F}".utf8) + [0x80, 0xFF]

    private static func request(_ random: inout SplitMix) -> [UInt8] {
        var request = Array(
            "POST /echo?a=b HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nContent-Length: 2\r\nB:2\r\nConnection: close\r\n\r\n"
                .utf8)
        for _ in 0...random.next() % 3 {
            let place = Int(random.next() % UInt64(request.count + 1))
            let byte = bytes[Int(random.next() % UInt64(bytes.count))]
            switch random.next() % 3 {
            case 0: request.insert(byte, at: place)
            case 1 where place < request.count: request[place] = byte
            default: if place < request.count { request.remove(at: place) }
            }
        }
        return request + Array("hi".utf8)
    }

    /// The headers, if each line ends as it should, and has a name and a value; otherwise nil.
    private static func fields(of request: [UInt8]) -> [String]? {
        var (lines, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], request[...])
        while let end = rest.indices.dropLast().first(where: { rest[$0] == 13 && rest[$0 + 1] == 10 }) {
            let line = Array(rest[..<end])
            rest = rest[(end + 2)...]
            // Empty lines before a request are ignored. (RFC 9112, section 2.2)
            if line.isEmpty, lines.isEmpty { continue }
            if line.isEmpty { break }
            lines.append(line)
        }
        guard lines.allSatisfy({ !$0.contains(0) && !$0.contains(10) && !$0.contains(13) }) else { return nil }
        let headers = lines.dropFirst().map { line -> String? in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
                !line[..<colon].contains(where: { $0 <= 32 || $0 >= 127 })
            else { return nil }
            let text = String(decoding: line, as: UTF8.self)
            let name = text.prefix { $0 != ":" }
            let value = text[name.endIndex...].dropFirst().drop { $0 == " " || $0 == "\t" }
            return "\(name):\(value.reversed().drop { $0 == " " || $0 == "\t" }.reversed().map(String.init).joined())"
        }
        return headers.contains(nil) ? nil : headers.compactMap(\.self)
    }

    @Test func whatAHandlerSeesIsWhatWasSent() async throws {
        // For connections that neither side closes.
        var limits = ListenerLimits()
        (limits.requestTime, limits.idleTime) = (.milliseconds(200), .milliseconds(100))
        let server = try TestServer(limits)
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        for _ in 0..<rounds(60, thorough: 400) {
            let request = Self.request(&random)
            let before = server.requests.count
            let connection = try server.connect()
            connection.send(request)
            connection.finish()
            let answer = connection.rest()
            let text = String(decoding: request, as: UTF8.self).debugDescription
            guard server.requests.count > before, let head = server.requests.all.last?.head else {
                #expect(!answer.hasPrefix("HTTP/1.1 200"), "seed \(seed): \(text)")
                continue
            }
            let seen = head.headers.fields.map { "\($0.name):\($0.value)" }
            #expect(seen == Self.fields(of: request), "seed \(seed): \(text)")
        }
        #expect(try server.isAlive())
        await server.stop()
    }
}
