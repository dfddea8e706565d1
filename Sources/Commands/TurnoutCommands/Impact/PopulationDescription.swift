package import TurnoutEngine

/// How often generated users have which attributes and segments.
///
/// ```json
/// {"attributes": {"country": {"values": [{"value": "US", "weight": 3}, "DE"], "share": 0.9},
///                 "orders": {"range": [0, 40]}, "app_version": {"versions": ["3.1.0", "3.2.0"]}},
///  "segments": {"vip": 0.1}}
/// ```
package struct PopulationDescription: Sendable {
    private let attributes: [Attribute]
    private let segments: [(name: String, share: Double)]

    private struct Attribute: Sendable {
        let name: String
        /// The share of users with the attribute.
        let share: Double
        let values: Values
    }

    fileprivate enum Values: Sendable {
        /// With the sum of the weights up to each value.
        case weighted([(value: AttributeValue, upTo: Double)])
        case integers(ClosedRange<Int64>)
        case numbers(ClosedRange<Double>)
    }

    /// Describes users with random attributes and segments. For each attribute, every value and the absence of a value
    /// are equally likely. Each segment contains half of the users.
    init(attributes: [(name: String, values: [AttributeValue])], segments: [String]) {
        self.init(
            attributes: attributes.map { name, values in
                Attribute(
                    name: name, share: Double(values.count) / Double(values.count + 1),
                    values: .weighted(values.enumerated().map { ($1, Double($0 + 1)) }))
            },
            segments: segments.map { ($0, 0.5) })
    }

    /// Whether users have neither attributes nor segments.
    package var isEmpty: Bool { attributes.isEmpty && segments.isEmpty }

    private init(attributes: [Attribute], segments: [(name: String, share: Double)]) {
        self.attributes = attributes
        self.segments = segments
    }

    func attributes(using random: inout RandomNumbers) -> Attributes {
        var drawn = Attributes(capacity: attributes.count)
        for attribute in attributes where attribute.share >= 1 || random.fraction() < attribute.share {
            drawn.add(attribute.name, attribute.values.draw(using: &random))
        }
        return drawn
    }

    func segments(using random: inout RandomNumbers) -> Set<String> {
        var drawn: Set<String> = []
        for segment in segments where random.fraction() < segment.share { drawn.insert(segment.name) }
        return drawn
    }
}

extension AttributeValue {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}

extension PopulationDescription.Values {
    fileprivate func draw(using random: inout RandomNumbers) -> AttributeValue {
        switch self {
        case .integers(let range):
            return .integer(range.lowerBound + Int64(random.index(below: Int(range.upperBound - range.lowerBound) + 1)))
        case .numbers(let range):
            return .double(range.lowerBound + random.fraction() * (range.upperBound - range.lowerBound))
        case .weighted(let values):
            let draw = random.fraction() * (values.last?.upTo ?? 0)
            return values.first { draw < $0.upTo }?.value ?? .null
        }
    }
}

// MARK: Reading

extension PopulationDescription {
    /// Reads a description.
    ///
    /// - Throws: A sentence that begins with the path of the invalid value.
    package init(_ document: JSONValue) throws(Problem) {
        guard case .object(let members) = document else { throw Problem("$: expected an object") }
        if let other = members.keys.sorted().first(where: { !["attributes", "segments"].contains($0) }) {
            throw Problem("$.\(other): expected only the members \"attributes\" and \"segments\"")
        }
        var attributes: [Attribute] = []
        // In the order of their names, because a JSON object has no order and draws depend on it.
        for (name, value) in try Self.members(members["attributes"], "$.attributes") {
            attributes.append(try Self.attribute(name, value))
        }
        var segments: [(name: String, share: Double)] = []
        for (name, value) in try Self.members(members["segments"], "$.segments") {
            segments.append((name, try Self.share(value, "$.segments.\(name)")))
        }
        self.init(attributes: attributes, segments: segments)
    }

    /// Why a description is invalid.
    package struct Problem: Error, Equatable {
        package let message: String
        init(_ message: String) { self.message = message }
    }

    private static func members(
        _ value: JSONValue?, _ path: String
    ) throws(Problem) -> [(key: String, value: JSONValue)] {
        guard let value else { return [] }
        guard case .object(let members) = value else { throw Problem("\(path): expected an object") }
        return members.sorted { $0.key < $1.key }
    }

    private static func attribute(_ name: String, _ value: JSONValue) throws(Problem) -> Attribute {
        let path = "$.attributes.\(name)"
        let share = try value["share"].map { value throws(Problem) in try Self.share(value, path + ".share") } ?? 1
        switch (value["values"], value["versions"], value["range"]) {
        case (let values?, nil, nil):
            return Attribute(name: name, share: share, values: .weighted(try weighted(values, path + ".values")))
        case (nil, let versions?, nil):
            let values = try weighted(versions, path + ".versions", isVersions: true)
            return Attribute(name: name, share: share, values: .weighted(values))
        case (nil, nil, let range?):
            return Attribute(name: name, share: share, values: try self.range(range, path + ".range"))
        default: throw Problem("\(path): expected an object with one of \"values\", \"versions\" and \"range\"")
        }
    }

    private static func weighted(
        _ value: JSONValue, _ path: String, isVersions: Bool = false
    ) throws(Problem) -> [(value: AttributeValue, upTo: Double)] {
        guard case .array(let elements) = value, !elements.isEmpty else { throw Problem("\(path): expected a list") }
        var sum = 0.0
        var values: [(value: AttributeValue, upTo: Double)] = []
        for (index, element) in elements.enumerated() {
            let weight = try element["weight"].map { value throws(Problem) in
                try number(value, in: 0...1e12, "\(path)[\(index)].weight")
            }
            sum += weight ?? 1
            if case .object = element, element["value"] == nil {
                throw Problem("\(path)[\(index)]: expected a value, or {\"value\": …, \"weight\": …}")
            }
            let value = AttributeValue(element["value"] ?? element)
            if isVersions, value.string == nil { throw Problem("\(path)[\(index)]: expected a text such as \"3.2.0\"") }
            values.append((value, sum))
        }
        guard sum > 0 else { throw Problem("\(path): expected a weight above 0") }
        return values
    }

    private static func range(_ value: JSONValue, _ path: String) throws(Problem) -> Values {
        guard case .array(let ends) = value, ends.count == 2 else {
            throw Problem("\(path): expected the least and the greatest number")
        }
        if case (.integer(let first), .integer(let last)) = (ends[0], ends[1]) {
            guard first <= last, first >= -1 << 53, last <= 1 << 53 else {
                throw Problem("\(path): expected the least and the greatest number, up to 2^53")
            }
            return .integers(first...last)
        }
        let first = try number(ends[0], in: -1e300...1e300, path + "[0]")
        return .numbers(first...(try number(ends[1], in: first...1e300, path + "[1]")))
    }

    private static func share(_ value: JSONValue, _ path: String) throws(Problem) -> Double {
        try number(value, in: 0...1, path)
    }

    private static func number(
        _ value: JSONValue, in range: ClosedRange<Double>, _ path: String
    ) throws(Problem) -> Double {
        guard let number = value.number else { throw Problem("\(path): expected a number") }
        guard range.contains(number) else {
            throw Problem("\(path): expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension PopulationDescription {
    /// Describes users with the attributes that audiences test: with the values that conditions compare with, with
    /// others on both sides of them, and without a value. All of these are equally likely, and attributes are
    /// independent of each other, so each condition has users that meet it and users that do not. Half of the users are
    /// in each segment.
    package init(audiencesOf projects: [Project]) {
        var values = AudienceValues()
        for audience in projects.flatMap(\.audiences) { values.add(audience.condition) }
        self.init(
            attributes: values.attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
            segments: values.segments.sorted())
    }
}

/// The values that conditions of audiences distinguish.
private struct AudienceValues {
    private(set) var attributes: [String: [AttributeValue]] = [:]
    private(set) var segments: Set<String> = []
    private var seen: Set<[String]> = []

    /// The most values of one attribute. Conditions on lists of thousands of users' ids need not be met by each.
    private static let limit = 100

    mutating func add(_ condition: AudienceCondition) {
        switch condition {
        case .everyone, .audience, .never: break
        case .all(let operands), .any(let operands), .not(let operands): for operand in operands { add(operand) }
        case .attribute(let name, let match, let value):
            let value = value.flatMap { try? JSONValue(parsing: $0) }
            if match == "qualified" {
                if case .string(let segment)? = value { segments.insert(segment) }
            } else if let name, name != "$opt_bucketing_id" {
                for value in Self.values(match, value) { add(value, to: name) }
            }
        }
    }

    private mutating func add(_ value: AttributeValue, to name: String) {
        guard attributes[name, default: []].count < Self.limit, seen.insert([name, "\(value)"]).inserted else { return }
        attributes[name, default: []].append(value)
    }

    /// The values that a condition distinguishes, those that meet it and those that do not.
    private static func values(_ match: String, _ value: JSONValue?) -> [AttributeValue] {
        switch value {
        case .string(let text) where match.hasPrefix("semver_"): versions(beside: text).map { .string($0) }
        case .string(let text): [.string(text), "other"]
        case .bool: [true, false]
        case .integer(let number):
            [number.subtractingReportingOverflow(1), (number, false), number.addingReportingOverflow(1)]
                .filter { !$0.overflow }.map { .integer($0.partialValue) }
        case .double(let number): [.double(number - 1), .double(number), .double(number + 1)]
        default: ["other"]
        }
    }

    /// The version and those before and after it: `5.1`, `5.2` and `5.3`.
    private static func versions(beside version: String) -> [String] {
        let release = version.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let parts = release.split(separator: ".").map { Int($0) ?? 0 }
        func text(_ parts: [Int]) -> String { parts.map { "\($0)" }.joined(separator: ".") }
        guard let last = parts.last, last < Int.max else { return [version] }
        var (before, after) = (parts, parts)
        after[parts.count - 1] += 1
        guard let place = parts.lastIndex(where: { $0 > 0 }) else { return [version, text(after)] }
        before[place] -= 1
        return [text(before), version, text(after)]
    }
}
