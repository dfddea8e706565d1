import Testing
import TurnoutServer

@Suite("Compressed requests")
struct InflatingHandlerTests {
    /// Doubles each byte.
    private struct Doubling: Decompressor {
        func decompress(
            _ bytes: [UInt8], _ encoding: ContentEncoding, limit: Int
        ) throws(DecompressionError) -> [UInt8] {
            if bytes == [0] { throw .invalid }
            guard bytes.count * 2 <= limit else { throw .tooLarge }
            return bytes.flatMap { [$0, $0] }
        }
    }

    private let handler = InflatingHandler(
        RouteTable([
            Route("POST", "/", "echoes", bodyLimit: 6) { request in
                let headers: HeaderFields = ["X-Encoding": request.head.headers["Content-Encoding"] ?? "none"]
                return .now(ServerResponse(200, headers: headers, body: .bytes(request.body)))
            }
        ]), Doubling())

    private func response(_ encoding: String?, _ body: [UInt8]) async -> ServerResponse {
        var head = RequestHead("POST", "/")
        head.headers["Content-Encoding"] = encoding
        return await handler.respond(to: ServerRequest(head, body: body)).response
    }

    @Test(arguments: ["gzip", "GZIP", "deflate"])
    func theHandlerSeesTheContent(encoding: String) async {
        let response = await response(encoding, [1, 2, 3])
        guard case .bytes(let bytes) = response.body else { return }
        #expect(bytes == [1, 1, 2, 2, 3, 3])
        #expect(response.headers["X-Encoding"] == "none")
    }

    @Test(arguments: [nil, "identity"])
    func otherContentStays(encoding: String?) async {
        guard case .bytes(let bytes) = await response(encoding, [1, 2]).body else { return }
        #expect(bytes == [1, 2])
    }

    @Test func problemsAreAnswered() async {
        #expect(await response("gzip", [1, 2, 3, 4]).status == 413)
        #expect(await response("gzip", [0]).status == 400)
        #expect(await response("br", [1]).status == 415)
        #expect(await response("br", [1]).headers["Accept-Encoding"] == "gzip, deflate")
        #expect(await response("gzip, gzip", [1]).status == 415)
        #expect(await response("br", []).status == 200)
    }
}
