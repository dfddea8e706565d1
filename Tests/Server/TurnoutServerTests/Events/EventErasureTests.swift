import ServerTestSupport
import Testing
import TurnoutEngine
import TurnoutServer

/// Users are removed from bodies, which keep their length.
@Suite struct EventErasureTests {
    private func rest(_ body: String, _ users: String...) -> String? {
        switch EventErasure(of: users).outcome(for: Array(body.utf8)) {
        case .unchanged: return body
        case .nothing: return nil
        case .changed(let rest):
            #expect(rest.count == body.utf8.count)
            #expect((try? JSONValue(parsing: rest)) != nil)
            return String(decoding: rest, as: UTF8.self).replacing(" ", with: "")
        }
    }

    @Test(arguments: [
        (#"{"visitors":[{"visitor_id":"ada"},{"visitor_id":"b"}],"a":1}"#, #"{"visitors":[{"visitor_id":"b"}],"a":1}"#),
        (#"{"visitors":[{"visitor_id":"b"} , {"x":[],"visitor_id":"ada"}]}"#, #"{"visitors":[{"visitor_id":"b"}]}"#),
        (
            #"{"visitors":[{"visitor_id":"b"},{"visitor_id":"ada"},{"visitor_id":"c"}]}"#,
            #"{"visitors":[{"visitor_id":"b"},{"visitor_id":"c"}]}"#
        ),
        // As processing reads ids: with escapes, the last one of several, in several lists.
        (#"{"visitors":[{"visitor_id":"\u0061d\u0061"},7]}"#, #"{"visitors":[7]}"#),
        (
            #"{"visitors":[{"visitor_id":"b","visitor_id":"ada"},{"visitor_id":"c"}]}"#,
            #"{"visitors":[{"visitor_id":"c"}]}"#
        ),
        (
            #"{"visitors":[{"visitor_id":"ada"}],"visitors":[{"visitor_id":"c"}]}"#,
            #"{"visitors":[],"visitors":[{"visitor_id":"c"}]}"#
        ),
    ])
    func oneOfSeveralVisitorsIsRemoved(body: String, expected: String) {
        #expect(rest(body, "ada") == expected)
    }

    @Test(arguments: [
        #"{"visitors":[{"visitor_id":"ad"},{"visitor_id":"adam"}]}"#,
        #"{"visitors":[{"visitor_id":"b","attributes":["ada"]}]}"#, #"{"visitors":[]}"#, #"{"visitors":["#, "",
        #"{"visitors":{"visitor_id":"b"}}"#,
    ])
    func otherBodiesStay(body: String) {
        #expect(EventErasure(of: ["ada"]).outcome(for: Array(body.utf8)) == .unchanged)
    }

    @Test(arguments: [
        #"{"visitors":[{"visitor_id":"ada"}]}"#, #"{"visitors":[{"visitor_id":"ada"},{"visitor_id":"ada","a":[]}]}"#,
        // Cannot be read.
        #"{"visitors":[{"visitor_id":"ada"}"#, #"{"visitors":[{"visitor_id":"ada}]}"#, #"{"visitor_id":"ada"}"#,
    ])
    func nothingIsLeftOfABodyOfOneUser(body: String) {
        #expect(EventErasure(of: ["ada"]).outcome(for: Array(body.utf8)) == .nothing)
    }

    @Test func idsAreComparedByTheirBytes() {
        let (composed, decomposed) = ("zo\u{EB}", "zoe\u{308}")
        let body = #"{"visitors":[{"visitor_id":"\#(composed)"},{"visitor_id":"\#(decomposed)"}]}"#
        #expect(rest(body, composed) == #"{"visitors":[{"visitor_id":"\#(decomposed)"}]}"#)
        #expect(
            rest(#"{"visitors":[{"visitor_id":17},{"visitor_id":null}]}"#, "17", "null")
                == #"{"visitors":[{"visitor_id":null}]}"#)
    }
}
