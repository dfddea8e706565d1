import Foundation

/// JSON variables decode as with Foundation's decoder.
@Suite struct JSONDecodingTests {
    private struct Everything: Codable, Equatable {
        struct Part: Codable, Equatable {
            var name: String
            var next: [Part]?
        }
        enum Size: String, Codable { case small, large }

        var bool: Bool
        var numbers: [Double]
        var small: UInt8
        var large: Int64
        var float: Float
        var optional: String?
        var null: Int?
        var size: Size
        var sizes: [String: Size]
        var parts: [Part]
        var pairs: [[Int?]]
        var whole: Int
    }

    private static let text = """
        {"bool": true, "numbers": [1, 2.5, -3e2], "small": 255, "large": 9007199254740993, "float": 0.5, "null": null,
        "size": "large", "sizes": {"é": "small"}, "parts": [{"name": "a", "next": [{"name": "b"}]}],
        "pairs": [[1, null], []], "whole": 3.0, "unknown": {}}
        """

    /// The variables of a decision for a flag with one JSON variable.
    private func variables(_ text: String) throws -> Variables {
        let quoted = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
        let datafile = """
            {"version": "4", "revision": "1", "projectId": "1", "accountId": "1", "experiments": [], "rollouts": [],
            "audiences": [], "attributes": [], "events": [], "groups": [], "anonymizeIP": true, "botFiltering": false,
            "typedAudiences": [], "featureFlags": [{"id": "1", "key": "flag", "rolloutId": "", "experimentIds": [],
            "variables": [{"id": "2", "key": "v", "type": "json", "defaultValue": \(quoted)}]}]}
            """
        return try Project(datafile: Array(datafile.utf8)).decide("flag", for: User("u")).variables
    }

    @Test func integersOf64BitsKeepTheirDigits() throws {
        struct Big: Decodable { let big: UInt64 }
        let variables = try variables(#"{"big": 12345678901234567890}"#)
        #expect(try variables.decode(Big.self, "v").big == 12_345_678_901_234_567_890)
        #expect(variables.json("v")?["big"] == .unsigned(12_345_678_901_234_567_890))
        struct Double64: Decodable { let big: Double }
        #expect(try variables.decode(Double64.self, "v").big == 12_345_678_901_234_567_168)
        struct Signed: Decodable { let big: Int64 }
        let error = #expect(throws: VariableError.self) { try variables.decode(Signed.self, "v") }
        #expect(error.map { "\($0)" } == #"variable "v": $.big: the number does not fit Int64"#)
    }

    @Test func theBytesAreThoseOfTheDatafile() throws {
        struct Banner: Decodable {
            let link: URL
            let price: Decimal
            let data: Data
        }
        let text = #"{"link": "https://example.com/a", "price": 1.10, "data": "aGVsbG8=", "big": 12345678901234567890}"#
        let variables = try variables(text)
        #expect(variables.jsonBytes("v") == Array(text.utf8))
        #expect(variables.jsonBytes("missing") == nil)
        let banner = try JSONDecoder().decode(Banner.self, from: Data(variables.jsonBytes("v") ?? []))
        #expect(banner.link.path == "/a" && banner.price == Decimal(string: "1.1") && banner.data.count == 5)
    }

    @Test func valuesAreThoseOfFoundation() throws {
        let expected = try JSONDecoder().decode(Everything.self, from: Data(Self.text.utf8))
        #expect(try variables(Self.text).decode(Everything.self, "v") == expected)
    }

    @Test func nestedContainersAndSuperDecodersWork() throws {
        struct Nested: Decodable {
            enum Key: String, CodingKey { case list, object, base }
            var found: [String] = []

            init(from decoder: any Decoder) throws {
                let top = try decoder.container(keyedBy: Key.self)
                found.append(contentsOf: top.allKeys.map(\.rawValue).sorted())
                var list = try top.nestedUnkeyedContainer(forKey: .list)
                #expect(list.count == 4 && !list.isAtEnd)
                #expect(throws: DecodingError.self) { try list.decode(Bool.self) }
                found.append("\(try list.decode(Int.self))")
                #expect(try list.decodeNil() && !(try list.decodeNil()))
                var inner = try list.nestedUnkeyedContainer()
                found.append(try inner.decode(String.self))
                found.append(try list.nestedContainer(keyedBy: Key.self).decode(String.self, forKey: .base))
                #expect(list.isAtEnd && list.currentIndex == 4)
                #expect(throws: DecodingError.self) { try list.decode(Int.self) }
                let object = try top.nestedContainer(keyedBy: Key.self, forKey: .object)
                found.append(try object.decode(String.self, forKey: .base))
                found.append(try String(from: try top.superDecoder(forKey: .base)))
                #expect(try top.superDecoder().singleValueContainer().decodeNil())
            }
        }
        let text = #"{"list": [1, null, ["x"], {"base": "y"}], "object": {"base": "z"}, "base": "b"}"#
        let found = try variables(text).decode(Nested.self, "v").found
        #expect(found == ["base", "list", "object", "1", "x", "y", "z", "b"])
    }

    @Test(arguments: [
        (#"{}"#, "$.a: the member is missing"), (#"{"a": 1}"#, "$.a: expected an array, found a number"),
        (#"{"a": [1, "x"]}"#, "$.a[1]: expected a number, found a string"),
        (#"{"a": [300]}"#, "$.a[0]: the number does not fit UInt8"),
        (#"{"a": [1.5]}"#, "$.a[0]: the number does not fit UInt8"),
        (#"{"a": [null]}"#, "$.a[0]: expected a number, found null"),
    ])
    func errorsNameThePlaceAndTheCause(text: String, problem: String) throws {
        struct List: Decodable { var a: [UInt8] }
        let variables = try variables(text)
        #expect(throws: VariableError.undecodable(variable: "v", problem: problem)) {
            try variables.decode(List.self, "v")
        }
    }
}
