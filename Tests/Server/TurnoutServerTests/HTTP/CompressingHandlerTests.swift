import Testing
import TurnoutServer

@Suite("Compressed responses")
struct CompressingHandlerTests {
    private let handler = CompressingHandler(
        RouteTable([
            Route("GET", "/long", "long") { _ in .now(.text(200, String(repeating: "x", count: 2_000))) },
            Route("GET", "/late", "long, later") { _ in .later { .text(200, String(repeating: "x", count: 2_000)) } },
            Route("GET", "/short", "short") { _ in .now(.text(200, "x")) },
            Route("GET", "/encoded", "compressed already") { _ in
                let bytes = [UInt8](repeating: 1, count: 2_000)
                return .now(ServerResponse(200, headers: ["Content-Encoding": "br"], body: .bytes(bytes)))
            },
        ]), compress: { [UInt8($0.count % 251)] })

    private func response(_ path: String, accepting encoding: String?) async -> ServerResponse {
        var head = RequestHead("GET", path)
        head.headers["Accept-Encoding"] = encoding
        return await handler.respond(to: ServerRequest(head)).response
    }

    @Test(arguments: ["/long", "/late"], ["gzip", "br, gzip;q=0.5", "*"])
    func aLongBodyIsCompressedIfAsked(path: String, encoding: String) async {
        let response = await response(path, accepting: encoding)
        #expect(response.content == [UInt8(2_000 % 251)])
        #expect(response.headers["Content-Encoding"] == "gzip" && response.headers["Vary"] == "Accept-Encoding")
    }

    @Test(arguments: [("/long", nil), ("/long", "br"), ("/long", "gzip;q=0"), ("/short", "gzip"), ("/encoded", "gzip")])
    func otherBodiesStay(path: String, encoding: String?) async {
        let response = await response(path, accepting: encoding)
        #expect(response.content.count != 1 || response.text == "x")
        #expect(response.headers["Content-Encoding"] != "gzip")
    }
}
