import FuzzDriver
import TurnoutEngine

/// Any conditions are refused or evaluated, and the trace has the same result.
@main struct FuzzConditions {
    static func main() {
        fuzz { start, count in
            let conditions = String(decoding: bytes(start, count), as: UTF8.self)
            guard let project = try? Project(datafile: FuzzConditions.datafile(guardedBy: conditions)) else { return 0 }
            var user = User("u", attributes: ["a": "x", "n": 5, "d": 1.5, "b": true, "v": "1.2.3", "l": ["x", 1]])
            user.segments = ["s"]
            let trace = project.explain("flag", for: user)
            precondition(trace.decision.isEnabled == project.decide("flag", for: user).isEnabled)
            _ = trace.description.count + trace.json.count + project.audiences.map(\.condition).count
            _ = trace.decision.reasons.map(\.description).joined().count
            return 0
        }
    }

    private static func datafile(guardedBy conditions: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(conditions)
        let text = #"""
            {"version": "4", "projectId": "P", "accountId": "A", "revision": "1", "anonymizeIP": true, "groups": [],
             "attributes": [], "events": [], "rollouts": [], "experiments": [{"id": "1", "key": "rule",
              "status": "Running", "layerId": "1", "audienceIds": ["a"], "forcedVariations": {},
              "variations": [{"id": "11", "key": "on", "featureEnabled": true}],
              "trafficAllocation": [{"entityId": "11", "endOfRange": 10000}]}],
             "audiences": [{"id": "a", "name": "a", "conditions": \#(writer.text)}, {"id": "b", "name": "b",
              "conditions": "[\"or\", \"a\", \"a\"]"}],
             "featureFlags": [{"id": "9", "key": "flag", "experimentIds": ["1"], "rolloutId": "", "variables": []}]}
            """#
        return [UInt8](text.utf8)
    }
}
