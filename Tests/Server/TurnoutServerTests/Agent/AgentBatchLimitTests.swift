import Foundation
import TestSupport
import TurnoutServer

/// Batches whose responses are large.
@Suite struct AgentBatchLimitTests {
    @Test func theResponsesOfABatchAreLimited() async throws {
        let shop = try ShopServer()
        let padding = String(repeating: " ", count: 400_000)
        try shop.server.datafiles.publish(ShopServer.datafile + Array(padding.utf8), for: ShopServer.key)
        let size = await shop.response("GET", "/datafiles/\(ShopServer.key).json").content.count
        #expect(size > 400_000)
        let operation = #"{"method":"GET","url":"/datafiles/\#(ShopServer.key).json"}"#
        let operations = Array(repeating: operation, count: 500).joined(separator: ",")
        let response = await shop.response("POST", "/v1/batch", body: #"{"operations":[\#(operations)]}"#)
        #expect(response.status == 200)
        #expect(response.content.count < 17 << 20)
        guard case .array(let results)? = try response.json["response"] else {
            Issue.record("no results")
            return
        }
        #expect(results.count == 500)
        let whole = (16 << 20) / size
        #expect(results.count { $0["status"] == .integer(200) } == whole)
        let rest = results.filter { $0["status"] == .integer(413) }
        #expect(rest.count == 500 - whole)
        #expect(rest.last?["body"]?["error"] == .string("the responses of a batch have at most 16777216 bytes"))
        #expect(try response.json["errorCount"] == .integer(Int64(500 - whole)))
        // Operations beyond the limit do not begin: few of them were under way.
        let metrics = await shop.response("GET", "/metrics").text
        let begun = metrics.split(separator: "\n").first {
            $0.contains("/datafiles/") && $0.contains("200") && $0.contains("requests_total")
        }
        let count = begun?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        #expect((whole...whole + 20).contains(count), "\(begun ?? "")")
    }
}
