import FuzzDriver
import TurnoutServer

/// Checks that each request is refused or has one meaning: one host, one end, a path that stays below the root, and no
/// line breaks in its parts.
@main struct FuzzRequest {
    private static let table = RouteTable([
        Route("GET", "/datafiles/{sdkKey}.json", "a datafile") { .now(.text(200, $0.parameters[0])) },
        Route("POST", "/v1/decide", "decides", bodyLimit: BodyLimit(size: 64)) { request in
            .now(.text(200, request.head.query.values("keys").joined(separator: ",")))
        },
        Route("POST", "/ofrep/v1/evaluate/flags/{key…}", "a flag") { .now(.text(200, $0.parameters[0])) },
    ])

    static func main() {
        fuzz { start, count in
            let input = bytes(start, count)
            var reader = RequestHeadReader()
            // The request line and headers, each in a line of its own, as a listener has divided them.
            let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let parts = lines[0].split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return 0 }
            Array(parts[1]).withUnsafeBytes { reader.readTarget($0) }
            Array(parts[0]).withUnsafeBytes { method in
                Array(parts[2]).withUnsafeBytes { reader.readRequestLine(method: method, version: $0) }
            }
            for line in lines.dropFirst() {
                let halves = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
                Array(halves[0]).withUnsafeBytes { name in
                    Array(halves.dropFirst().first ?? []).withUnsafeBytes { reader.readField(name: name, value: $0) }
                }
            }
            guard let head = try? reader.head(remoteAddress: "127.0.0.1") else { return 0 }
            FuzzRequest.check(head, reader, version: String(decoding: parts[2], as: UTF8.self))
            FuzzRequest.answer(head)
            return 0
        }
    }

    private static func check(_ head: RequestHead, _ reader: RequestHeadReader, version: String) {
        precondition(head.path.utf8.first == UInt8(ascii: "/") || head.path == "*", "a relative path")
        let segments = head.path.split(separator: "/").map { $0.percentDecoded() }
        precondition(!segments.contains(".") && !segments.contains(".."), "a path up")
        precondition(
            head.headers.values("Host").count == (version == "HTTP/1.1" ? 1 : head.headers.values("Host").count))
        precondition(head.headers.values("Host").count <= 1, "two hosts")
        let lengths = head.headers.values("Content-Length")
        precondition(
            lengths.count <= 1 && lengths.first.map { Int($0) } == lengths.first.map { _ in reader.contentLength })
        precondition(reader.contentLength.map { $0 >= 0 } ?? true, "a negative length")
        precondition(reader.isChunked == !head.headers.values("Transfer-Encoding").isEmpty, "an ignored encoding")
        precondition(!(reader.isChunked && reader.contentLength != nil), "two ends")
        for field in head.headers.fields {
            let bytes = Array(field.name.utf8) + Array(field.value.utf8)
            precondition(!bytes.contains(0) && !bytes.contains(10) && !bytes.contains(13), "a line break")
        }
    }

    private static func answer(_ head: RequestHead) {
        guard case .now(let response) = table.respond(to: ServerRequest(head)) else { return }
        // A path that is not UTF-8 is refused before a route answers.
        guard response.status != 400 else { return }
        precondition([200, 204, 404, 405].contains(response.status), "another status")
        precondition((table.bodyLimit(for: head).size > 0) == (response.status == 200), "a limit without a route")
    }
}
