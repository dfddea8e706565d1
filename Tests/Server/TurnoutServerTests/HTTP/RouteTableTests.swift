import Testing
import TurnoutServer

@Suite("Routes")
struct RouteTableTests {
    private let table = RouteTable([
        Route("GET", "/datafiles/{sdkKey}.json", "a datafile") { .now(.text(200, "datafile \($0.parameters[0])")) },
        Route("GET", "/v1/decide", "reads") { _ in .now(.text(200, "read")) },
        Route("POST", "/v1/decide", "decides", bodyLimit: BodyLimit(size: 7)) { _ in .now(.text(200, "decided")) },
        Route("POST", "/flags/{key…}", "a flag") { .now(.text(200, $0.parameters[0])) },
        Route("POST", "*/batch", "several", ending: "/batch") { _ in .now(.text(200, "batch")) },
    ])

    private func text(_ method: String, _ path: String) async -> String {
        await table.respond(to: ServerRequest(RequestHead(method, path))).response.statusAndText
    }

    @Test func aPathIsAnsweredByItsRoute() async {
        #expect(await text("POST", "/v1/decide") == "200 decided")
        #expect(await text("HEAD", "/v1/decide") == "200 read")
        #expect(await text("GET", "/datafiles/a%2Bb.json") == "200 datafile a+b")
        #expect(await text("POST", "/flags/a/b%20c") == "200 a/b c")
        #expect(await text("POST", "/flags/BATCH") == "200 batch")
    }

    @Test(arguments: [
        "/", "", "/datafiles/.json", "/datafiles/a/b.json", "/datafiles/a.xml", "/v1/decide/", "/flags", "//v1/decide",
        "/v1/batch",
    ])
    func anUnknownPathIsNotFound(path: String) async {
        #expect(await text("GET", path).hasPrefix("404"))
    }

    @Test func anotherMethodIsNotAllowed() async {
        let response = await table.respond(to: ServerRequest(RequestHead("DELETE", "/v1/decide"))).response
        #expect(response.status == 405)
        #expect(response.headers["allow"] == "GET, POST")
    }

    @Test func theRouteLimitsTheBody() {
        #expect(table.bodyLimit(for: RequestHead("POST", "/v1/decide")).size == 7)
        #expect(table.bodyLimit(for: RequestHead("POST", "/unknown")).size == 0)
    }

    @Test func parametersOfAQueryAreDecoded() {
        let query = QueryParameters(parsing: "keys=a%20b&keys=c+d&empty&bad=%zz&&utf=%ff")
        #expect(query.values("keys") == ["a b", "c d"])
        #expect(query["empty"] == "")
        #expect(query["bad"] == "%zz")
        #expect(query["utf"] == "\u{FFFD}")
    }

    @Test func aQueryIsDividedByBytes() {
        let query = QueryParameters(parsing: "name=\u{301}ada&\u{301}plan=gold")
        #expect(query["name"] == "\u{301}ada")
        #expect(query["\u{301}plan"] == "gold")
    }
}
