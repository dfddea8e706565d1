import FuzzDriver
import TurnoutEngine

/// Any two texts are ordered consistently or not at all, never both lower and higher.
@main struct FuzzVersions {
    static func main() {
        fuzz { start, count in
            let input = bytes(start, count)
            let middle = input.firstIndex(of: 0) ?? input.count
            let user = String(decoding: input[..<middle], as: UTF8.self)
            let target = String(decoding: input[middle...].dropFirst(), as: UTF8.self)
            let orders = ["semver_lt", "semver_eq", "semver_gt"].filter { FuzzVersions.isMet($0, user, target) }
            precondition(orders.count <= 1, "more than one order")
            return 0
        }
    }

    private static func isMet(_ match: String, _ user: String, _ target: String) -> Bool {
        var condition = JSONWriter()
        condition.value(
            .object([
                "name": .string("v"), "type": .string("custom_attribute"), "match": .string(match),
                "value": .string(target),
            ]))
        let text = #"""
            {"version": "4", "projectId": "P", "accountId": "A", "revision": "1", "anonymizeIP": true, "groups": [],
             "attributes": [], "events": [], "rollouts": [], "audiences": [], "experiments": [{"id": "1", "key": "r",
              "status": "Running", "layerId": "1", "audienceIds": [], "audienceConditions": \#(condition.text),
              "forcedVariations": {}, "variations": [{"id": "11", "key": "on", "featureEnabled": true}],
              "trafficAllocation": [{"entityId": "11", "endOfRange": 10000}]}],
             "featureFlags": [{"id": "9", "key": "flag", "experimentIds": ["1"], "rolloutId": "", "variables": []}]}
            """#
        guard let project = try? Project(datafile: [UInt8](text.utf8)) else { return false }
        return project.decide("flag", for: User("u", attributes: ["v": .string(user)])).isEnabled
    }
}
