@Suite(.ownThread) struct OptimizelyJSONTests {
    private struct Step: Codable, Equatable {
        var name: String
        var weight: Double
    }

    private static let text = #"{"a": 1, "b": 1.5, "c": "x", "d": true, "e": {"f": {"g": [1, "two"]}}, "n": null}"#

    private func json(_ text: String = text) throws -> OptimizelyJSON { try #require(OptimizelyJSON(payload: text)) }

    // MARK: Creating

    @Test func onlyObjectsAreRead() throws {
        #expect(try json("{}").isEmpty && json(#"{"a": [1, 2,], "b": 2,}"#).toMap().count == 2)
        for text in ["", "[1]", "5", "\"a\"", "{\"a\"", "{a: 1}", "null"] {
            #expect(OptimizelyJSON(payload: text) == nil)
        }
    }

    @Test func mapsContainOnlyJSONTypes() {
        struct Foreign {}
        let none: Int? = nil
        #expect(OptimizelyJSON(map: ["a": 1, "b": ["c": none as Any], "d": NSNull(), "e": [1.5, true]]) != nil)
        #expect(OptimizelyJSON(map: ["a": Foreign()]) == nil)
        #expect(OptimizelyJSON(map: ["a": [1, Double.nan]]) == nil)
        #expect(OptimizelyJSON(map: ["a": ["b": Double.infinity]]) == nil)
    }

    @Test func emptyObjectsAreEmpty() {
        let empty = OptimizelyJSON([:], text: "{}")
        #expect(empty.isEmpty && empty.toString() == "{}" && empty.toMap().isEmpty && empty.description == "[:]")
    }

    // MARK: Texts and maps

    @Test func textsAreKeptAndMapsMatchFoundation() throws {
        #expect(try json().toString() == Self.text)
        #expect(OptimizelyJSON(map: ["b": [1, 2.5], "a": "/"])?.toString() == #"{"a":"\/","b":[1,2.5]}"#)
    }

    @Test func mapsAndTextsSurviveARoundTrip() throws {
        let first = try json()
        let second = try #require(OptimizelyJSON(map: first.toMap()))
        let third = try json(#require(second.toString()))
        #expect(first == second && second == third)
    }

    @Test func mapsContainSwiftValues() throws {
        let map = try json().toMap()
        #expect(map["a"] is Int && map["b"] is Double && map["c"] is String && map["d"] is Bool && map["n"] is NSNull)
        let inner = (map["e"] as? [String: Any])?["f"] as? [String: Any]
        #expect((inner?["g"] as? [Any])?.first as? Int == 1)
    }

    @Test func variablesOfADecisionAreReadOnDemand() throws {
        let variables =
            #"{"id": "1", "key": "n", "type": "integer", "defaultValue": "3"}, "#
            + #"{"id": "2", "key": "j", "type": "json", "defaultValue": "{\"x\": 0.5}"}"#
        let datafile = SmallDatafile(flags: SmallDatafile.flag("f", variables: variables))
        let decision = try datafile.project().decide("f", for: User("ada"))
        let json = OptimizelyJSON(decision.variables)
        #expect(json.getValue(jsonPath: "n") == 3 && json.getValue(jsonPath: "j.x") == 0.5)
        #expect(json.toString() == #"{"j":{"x":0.5},"n":3}"#)
    }

    // MARK: Paths

    @Test func pathsLeadToValues() throws {
        let json = try json()
        #expect(json.getValue(jsonPath: "a") == 1 && json.getValue(jsonPath: "c") == "x")
        #expect(json.getValue(jsonPath: "b") == 1.5 && json.getValue(jsonPath: "d") == true)
        let list: [Any]? = json.getValue(jsonPath: "e.f.g")
        #expect(list?.count == 2)
        let whole: [String: Any]? = json.getValue(jsonPath: nil)
        #expect(whole?.count == 6)
        let same: [String: Any]? = json.getValue(jsonPath: "")
        #expect(same?.count == 6)
    }

    @Test func pathsWithoutAValueReturnNil() throws {
        let json = try json()
        // "a.c": the path ends at a number, although the root has a "c".
        for path in ["x", "a.c", "c.c", "e.f.h", "e.f.g.0", "e.", ".e", "e..f", "."] {
            #expect(json.getValue(jsonPath: path) as String? == nil, "\(path)")
            #expect(json.getValue(jsonPath: path) as Any? == nil, "\(path)")
        }
    }

    @Test func objectsAndListsAreDecoded() throws {
        let json = try json(#"{"step": {"name": "pay", "weight": 2}, "steps": [{"name": "a", "weight": 0.5}], "x": 1}"#)
        #expect(json.getValue(jsonPath: "step") == Step(name: "pay", weight: 2))
        #expect(json.getValue(jsonPath: "steps") == [Step(name: "a", weight: 0.5)])
        #expect(json.getValue(jsonPath: "x") as Step? == nil)
        #expect(json.getValue(jsonPath: "step") as [Step]? == nil)
    }

    @Test func numbersConvertToAnyTypeThatRepresentsThem() throws {
        let json = try json(#"{"one": 1, "whole": 2.0, "half": 0.5, "yes": true}"#)
        #expect(json.getValue(jsonPath: "one") as Double? == 1 && json.getValue(jsonPath: "whole") as Int? == 2)
        #expect(json.getValue(jsonPath: "one") as Int64? == 1 && json.getValue(jsonPath: "half") as Float? == 0.5)
        #expect(json.getValue(jsonPath: "half") as Int? == nil && json.getValue(jsonPath: "one") as Bool? == nil)
        #expect(json.getValue(jsonPath: "yes") as Bool? == true && json.getValue(jsonPath: "yes") as Int? == nil)
        #expect(json.getValue(jsonPath: "one") as String? == nil)
    }

    // MARK: Equality

    @Test func numbersAreEqualByValueAndDifferFromBooleans() throws {
        let one = try json(#"{"a": [1], "b": {"c": 2}}"#)
        #expect(try one == json(#"{"b": {"c": 2.0}, "a": [1.0]}"#))
        #expect(try one.hash == json(#"{"b": {"c": 2.0}, "a": [1.0]}"#).hash)
        #expect(try one != json(#"{"a": [true], "b": {"c": 2}}"#))
        #expect(try one != json(#"{"a": [1], "b": {"c": 2, "d": null}}"#))
        #expect(try one != json(#"{"a": [1, 1], "b": {"c": 2}}"#))
        #expect(OptimizelyJSON(map: ["a": NSNumber(value: 1)]) == OptimizelyJSON(map: ["a": 1.0]))
        #expect(OptimizelyJSON(map: ["a": NSNumber(value: true)]) != OptimizelyJSON(map: ["a": 1]))
        #expect(OptimizelyJSON(map: ["a": NSNumber(value: true)]) == OptimizelyJSON(map: ["a": true]))
        #expect(!one.isEqual("text") && !one.isEqual(nil))
    }

    @Test func documentsOfFoundationAreRead() throws {
        let object = try JSONSerialization.jsonObject(with: Data(Self.text.utf8))
        let map = try #require(object as? [String: Any])
        #expect(try OptimizelyJSON(map: map) == json())
    }

    @Test func concurrentReadsAreSafe() async throws {
        let json = OptimizelyJSON(try #require(try JSONValue(parsing: Self.text).members), text: Self.text)
        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<200 {
                group.addTask { json.toMap().count == 6 ? json.toString() : nil }
            }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(texts.count == 1 && texts.first != .some(nil))
    }
}

extension JSONValue {
    fileprivate var members: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
}
