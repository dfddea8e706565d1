/// Serialized, because the endpoints are process-wide.
@Suite(.serialized, .ownThread) struct EventForDispatchTests {
    private let body = Data(#"{"a":1}"#.utf8)

    @Test func theRegionChoosesTheEndpoint() {
        #expect(EventForDispatch(body: body).url.absoluteString == "https://logx.optimizely.com/v1/events")
        #expect(
            EventForDispatch(body: body, region: .EU).url.absoluteString == "https://eu.logx.optimizely.com/v1/events")
    }

    @Test func anAddressPrecedesTheRegion() throws {
        let url = try #require(URL(string: "https://example.com/events"))
        #expect(EventForDispatch(url: url, body: body, region: .EU).url == url)
    }

    @Test func endpointsCanBeSet() {
        let standard = EventForDispatch.eventEndpoint
        defer { EventForDispatch.eventEndpoint = standard }
        EventForDispatch.eventEndpoint = "https://relay.example.com/"
        #expect(EventForDispatch(body: body).url.absoluteString == "https://relay.example.com/")
        EventForDispatch.eventEndpoint = ""
        #expect(EventForDispatch(body: body).url.isFileURL)
    }

    @Test func requestsAreEqualByContents() throws {
        let url = try #require(URL(string: "https://example.com/"))
        let event = EventForDispatch(url: url, body: body)
        let same = EventForDispatch(url: url, body: body)
        #expect(event == same && event.hash == same.hash)
        #expect(event != EventForDispatch(url: url, body: Data()) && event != EventForDispatch(body: body))
        #expect(event.description == #"[url] https://example.com/ ({"a":1})"#)
        #expect(EventForDispatch(url: url, body: Data([0xFF])).description.hasSuffix("(UNKNOWN)"))
    }

    @Test func requestsSurviveARoundTrip() throws {
        let event = EventForDispatch(body: body, region: .EU)
        let json = try JSONEncoder().encode(event)
        #expect(try JSONDecoder().decode(EventForDispatch.self, from: json) == event)
        let members = try JSONSerialization.jsonObject(with: json) as? [String: String]
        #expect(members == ["url": event.url.absoluteString, "body": body.base64EncodedString()])
    }
}
