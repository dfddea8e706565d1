import Testing
import TurnoutClient

/// What answers mean for events.
@Suite struct EventReplyTests {
    @Test(arguments: [
        (200, EventReply.accepted), (202, .accepted), (204, .accepted), (400, .refused), (402, .refused),
        (408, .busy(retryAfter: nil)), (413, .tooLarge), (422, .refused), (425, .busy(retryAfter: nil)),
        (429, .busy(retryAfter: nil)), (500, .busy(retryAfter: nil)), (503, .busy(retryAfter: nil)),
    ])
    func statusSaysWhatHappensToTheEvents(status: Int, reply: EventReply) {
        #expect(EventReply(HTTPResponse(status: status), count: 3) == reply)
    }

    @Test(arguments: [301, 302, 307, 308, 401, 403, 404])
    func wrongAddressesAndUnknownProjectsAreMisconfigured(status: Int) {
        #expect(EventReply(HTTPResponse(status: status), count: 3) == .misconfigured(status: status))
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), ("0", .zero), ("999999999", .seconds(86_400)), ("-1", nil), ("1.5", nil),
        ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("", nil),
    ])
    func secondsToWaitAreUnderstood(text: String, delay: Duration?) {
        for status in [429, 503] {
            let response = HTTPResponse(status: status, headers: ["Retry-After": text])
            #expect(EventReply(response, count: 1) == .busy(retryAfter: delay))
        }
    }

    @Test(arguments: [
        (#"[{"event":0,"message":"bad"},{"event":2}]"#, EventReply.invalid([0, 2])),
        (#"[{"event":3},{"event":-1},{"event":"1"},7]"#, .refused), ("[]", .refused), ("{}", .refused),
    ])
    func invalidEventsAreNamedByTheirPlaces(invalids: String, reply: EventReply) {
        let body = #"{"title":"Bad Request","status":400,"detail":{"invalids":\#(invalids)}}"#
        #expect(EventReply(HTTPResponse(status: 400, body: Array(body.utf8)), count: 3) == reply)
    }
}
