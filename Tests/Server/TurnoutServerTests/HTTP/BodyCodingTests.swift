import Testing
import TurnoutServer

@Suite("Compressed bodies")
struct BodyCodingTests {
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

    private let coding = BodyCoding(decompressor: Doubling()) { [UInt8($0.count % 251)] }

    // MARK: Requests

    private func expand(_ encoding: String?, _ body: [UInt8]) -> (request: ServerRequest, refusal: ServerResponse?) {
        var request = ServerRequest(RequestHead("POST", "/"), body: body)
        request.head.headers["Content-Encoding"] = encoding
        let refusal = coding.expand(&request, limit: BodyLimit(size: 6))
        return (request, refusal)
    }

    @Test(arguments: ["gzip", "GZIP", "deflate"])
    func routesSeeTheContent(encoding: String) {
        let (request, refusal) = expand(encoding, [1, 2, 3])
        #expect(refusal == nil && request.body == [1, 1, 2, 2, 3, 3])
        #expect(request.head.headers["Content-Encoding"] == nil)
    }

    @Test(arguments: [nil, "identity"])
    func otherContentStays(encoding: String?) {
        let (request, refusal) = expand(encoding, [1, 2])
        #expect(refusal == nil && request.body == [1, 2])
    }

    @Test func problemsAreAnswered() {
        #expect(expand("gzip", [1, 2, 3, 4]).refusal?.status == 413)
        #expect(expand("gzip", [0]).refusal?.status == 400)
        #expect(expand("br", [1]).refusal?.status == 415)
        #expect(expand("br", [1]).refusal?.headers["Accept-Encoding"] == "gzip, deflate")
        #expect(expand("gzip, gzip", [1]).refusal?.status == 415)
        #expect(expand("br", []).refusal == nil)
    }

    // MARK: Responses

    private func compressed(_ count: Int, _ headers: HeaderFields = [:], accepting: String?) -> ServerResponse {
        var head = RequestHead("GET", "/")
        head.headers["Accept-Encoding"] = accepting
        let body = ServerResponse.Body.bytes([UInt8](repeating: 1, count: count))
        return coding.compressed(ServerResponse(200, headers: headers, body: body), for: head)
    }

    @Test(arguments: ["gzip", "br, gzip;q=0.5", "*"])
    func aLongBodyIsCompressedIfAsked(encoding: String) {
        let response = compressed(2_000, accepting: encoding)
        #expect(response.content == [UInt8(2_000 % 251)])
        #expect(response.headers["Content-Encoding"] == "gzip" && response.headers["Vary"] == "Accept-Encoding")
    }

    @Test(arguments: [(2_000, nil), (2_000, "br"), (2_000, "gzip;q=0"), (1, "gzip")])
    func otherBodiesStay(count: Int, encoding: String?) {
        let response = compressed(count, accepting: encoding)
        #expect(response.content.count == count && response.headers["Content-Encoding"] == nil)
        #expect(compressed(2_000, ["Content-Encoding": "br"], accepting: "gzip").content.count == 2_000)
    }
}
