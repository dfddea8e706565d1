/// How responses affect events.
@Suite struct EventReplyTests {
    @Test(arguments: [
        (200, EventReply.accepted), (202, .accepted), (204, .accepted), (400, .refused(status: 400)),
        (413, .refused(status: 413)), (422, .refused(status: 422)), (408, .busy(status: 408)),
        (425, .busy(status: 425)),
        (429, .busy(status: 429)), (500, .busy(status: 500)), (503, .busy(status: 503)),
    ])
    func statusSaysWhatHappensToTheEvents(status: Int, reply: EventReply) {
        #expect(EventReply(HTTPResponse(status: status), count: 3) == reply)
    }

    @Test(arguments: [301, 302, 307, 308, 401, 402, 403, 404, 405, 406, 407, 410, 415, 421, 426, 431, 451])
    func wrongAddressesAndUnknownProjectsAreMisconfigured(status: Int) {
        #expect(EventReply(HTTPResponse(status: status), count: 3) == .misconfigured(status: status))
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("0", .zero), ("999999999", .seconds(86_400)), ("-1", nil), ("1.5", nil), ("", nil),
        ("Wed, 21 Oct 2026 07:28:05 GMT", .seconds(5)), ("Wednesday, 21-Oct-26 07:30:00 GMT", .seconds(120)),
        ("Wed Oct 21 08:28:00 2026", .seconds(3_600)), ("Wed, 21 Oct 2026 07:27:59 GMT", .zero),
        ("Fri, 21 Oct 2033 07:28:00 GMT", .seconds(86_400)), ("Wed, 32 Oct 2026 07:28:05 GMT", nil),
        ("Wed, 21 Oct 2026 24:28:05 GMT", nil), ("Wed, 21 Xyz 2026 07:28:05 GMT", nil),
        ("Wed, 21 Oct 2026 07:28:05 CET", nil),
    ])
    func pausesAreUnderstoodAsSecondsAndAsDates(text: String, delay: Duration?) {
        for status in [429, 503] {
            let headers = ["Retry-After": text, "Date": "Wed, 21 Oct 2026 07:28:00 GMT"]
            let response = HTTPResponse(status: status, headers: headers)
            #expect(EventReply(response, count: 1) == .busy(status: status, retryAfter: delay))
        }
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", Int64(0)), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777_000),
        ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200_000), ("Sun Nov  6 08:49:37 1994", 784_111_777_000),
    ])
    func datesAreReadInAllFormsOfHTTP(text: String, time: Int64) {
        #expect(HTTPDate.millisecondsSince1970(text) == time)
    }

    @Test(arguments: [
        (#"[{"event":0,"message":"bad"},{"event":2}]"#, EventReply.invalid([0, 2], status: 400)),
        (#"[{"event":3},{"event":-1},{"event":"1"},7]"#, .refused(status: 400)), ("[]", .refused(status: 400)),
        ("{}", .refused(status: 400)),
    ])
    func invalidEventsAreNamedByTheirPlaces(invalids: String, reply: EventReply) {
        let body = #"{"title":"Bad Request","status":400,"detail":{"invalids":\#(invalids)}}"#
        #expect(EventReply(HTTPResponse(status: 400, body: Array(body.utf8)), count: 3) == reply)
    }
}
