import TestSupport
import TurnoutServer

@Suite("The Agent's batches")
struct AgentBatchTests {
    private static let key = #""headers": {"X-Optimizely-SDK-Key": "shop", "X-Request-Id": "r1"}"#

    @Test func operationsAreAnsweredEachForItself() async throws {
        let agent = try TestAgent()
        let decide = """
            {"method": "POST", "url": "/v1/decide", "operationID": "2", "body": {"userId": "ada"},
             "params": {"keys": "search"},
             "headers": {"X-Optimizely-SDK-Key": "shop", "Content-Type": "application/json"}}
            """
        let operations = [
            #"{"method": "GET", "url": "/v1/config", "operationID": "1", "body": {"x": 1}, \#(Self.key)}"#, decide,
            #"{"method": "GET", "url": "/v1/config?a=b", "operationID": "3", "headers": {"X-Request-Id": "r3"}}"#,
        ]
        let body = "{\"operations\": [\(operations.joined(separator: ","))]}"
        let response = await agent.post("/v1/batch", body, headers: ["X-Optimizely-SDK-Key": ""])
        let time = "2023-11-14T22:13:20.000Z"
        #expect(
            response.hasPrefix("200 {\"startedAt\":\"\(time)\",\"endedAt\":\"\(time)\",\"errorCount\":1,\"response\":[")
        )
        #expect(
            response.contains(
                #"{"status":200,"requestID":"r1","operationID":"1","method":"GET","url":"/v1/config","body":{"environ"#)
        )
        #expect(
            response.contains(#""operationID":"2","method":"POST","url":"/v1/decide","body":{"variationKey":"by_s"#))
        #expect(
            response.contains(
                #"{"status":400,"requestID":"r3","operationID":"3","method":"GET","url":"/v1/config?a=b","#
                    + #""body":{"error":"missing required X-Optimizely-SDK-Key header"},"startedAt":"\#(time)","#))
    }

    @Test func bodiesWithoutJSONAreNull() async throws {
        let agent = try TestAgent()
        let save =
            #"{"method": "POST", "url": "/v1/save", "body": {"userId": "a"}, "headers": "#
            + #"{"x-optimizely-sdk-key": "shop", "content-type": "application/json"}}"#
        let response = await agent.post("/any/BATCH", #"{"operations": [\#(save), {"url": "/none"}]}"#)
        #expect(
            response.contains(#"{"status":200,"requestID":"#)
                && response.contains(#""url":"/save","body":null"#) == false)
        #expect(response.contains(#""url":"/v1/save","body":null"#))
        #expect(response.contains(#"{"status":404,"requestID":"#))
        #expect(response.contains(#""operationID":"","method":"","url":"/none","body":null"#))
        #expect(response.contains("\"errorCount\":1"))
    }

    @Test func parametersHaveTwoNames() async throws {
        let agent = try TestAgent()
        let track =
            #"{"method": "POST", "url": "/v1/track", "parameters": {"eventKey": "purchase"}, "body": {}, "#
            + #""headers": {"X-Optimizely-SDK-Key": "shop", "Content-Type": "application/json"}}"#
        let response = await agent.post("/batch", #"{"operations": [\#(track)]}"#)
        #expect(response.contains(#""body":{"userId":"","eventKey":"purchase"}"#))
    }

    @Test func batchesAreLimited() async throws {
        var configuration = AgentConfiguration()
        configuration.batchLimit = 2
        configuration.batchConcurrency = 1
        let agent = try TestAgent(configuration)
        let operation = #"{"method": "GET", "url": "/v1/config", \#(Self.key)}"#
        func batch(_ count: Int) -> String {
            "{\"operations\": [\(Array(repeating: operation, count: count).joined(separator: ","))]}"
        }
        #expect(await agent.post("/v1/batch", batch(2)).contains("\"errorCount\":0"))
        let text = "422 {\"error\": \"too many operations, exceeding 2 operations\"}\n"
        #expect(await agent.post("/v1/batch", batch(3)) == text)
        #expect(await agent.post("/v1/batch", "{}").contains("\"errorCount\":0,\"response\":[]"))
    }

    @Test(arguments: [
        "", "x", "[]", #"{"operations": {}}"#, #"{"operations": [{"url": 1}]}"#, #"{"operations": [{"body": []}]}"#,
    ])
    func malformedBatchesAreRefused(body: String) async throws {
        let response = await (try TestAgent()).send("POST", "/v1/batch", body)
        #expect(response.statusAndText == "400 {\"error\": \"cannot decode the operation body\"}\n")
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
    }

    @Test func aBatchInABatchIsUnknown() async throws {
        let agent = try TestAgent()
        let inner = #"{"method": "POST", "url": "/v1/batch", "body": {"operations": []}}"#
        let response = await agent.post("/v1/batch", #"{"operations": [\#(inner)]}"#)
        #expect(response.contains(#"{"status":404,"#))
    }

    @Test func aStreamInABatchEnds() async throws {
        var configuration = AgentConfiguration()
        configuration.allowsNotifications = true
        let agent = try TestAgent(configuration)
        let stream = #"{"method": "GET", "url": "/v1/notifications/event-stream", \#(Self.key)}"#
        let response = await agent.post("/v1/batch", #"{"operations": [\#(stream)]}"#)
        #expect(response.contains(#""url":"/v1/notifications/event-stream","body":null"#))
        #expect(agent.clients.counts.streams == 0)
    }
}
