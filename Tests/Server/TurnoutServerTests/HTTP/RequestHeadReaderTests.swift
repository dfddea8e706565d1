import Testing
import TurnoutServer

@Suite("Heads of requests")
struct RequestHeadReaderTests {
    private func read(
        _ line: String, _ fields: [(String, String)] = [("Host", "a")]
    ) throws(RequestRefusal) -> RequestHead {
        var reader = RequestHeadReader()
        let parts = line.split(separator: " ").map { Array($0.utf8) }
        parts[1].withUnsafeBytes { reader.readTarget($0) }
        parts[0].withUnsafeBytes { method in
            parts[2].withUnsafeBytes { reader.readRequestLine(method: method, version: $0) }
        }
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { reader.readField(name: name, value: $0) }
            }
        }
        return try reader.head(remoteAddress: "::1")
    }

    @Test func theHeadIsComplete() throws {
        let head = try read("PUT /a%20b/ü?c=d HTTP/1.1", [("host", "a"), ("X-Y", " \tz "), ("X-Y", "")])
        #expect(head.method == "PUT")
        #expect(head.path == "/a%20b/ü")
        #expect(head.query["c"] == "d")
        #expect(head.headers.values("x-y") == ["z", ""])
        #expect(head.remoteAddress == "::1")
    }

    @Test(arguments: [("/?", "/"), ("//b/c", "//b/c"), ("/.a/..b/c..", "/.a/..b/c.."), ("http://a", "/")])
    func pathsAreKept(target: String, path: String) throws {
        #expect(try read("GET \(target) HTTP/1.1").path == path)
    }

    @Test(arguments: ["/..", "/.", "/a/../b", "/%2e%2e/b", "/a/%2E", "/a/../\u{301}x", "a", "", "http:/a", "https//a"])
    func otherTargetsAreRefused(target: String) {
        guard !target.isEmpty else { return }
        let refusal = #expect(throws: RequestRefusal.self) { try read("GET \(target) HTTP/1.1") }
        #expect(refusal?.status == 400)
    }

    @Test func theFirstProblemIsReported() {
        let refusal = #expect(throws: RequestRefusal.self) {
            try read("GET /../x HTTP/9.9", [("Host", "a"), ("Host", "b")])
        }
        #expect(refusal?.reason == "the path has a segment of points")
        #expect(refusal?.response.closesConnection == true)
    }

    @Test func anEmptyHostIsAHost() throws {
        #expect(try read("GET / HTTP/1.1", [("Host", "")]).headers["Host"] == "")
        #expect(try read("GET / HTTP/1.0", []).headers.fields.isEmpty)
    }
}
