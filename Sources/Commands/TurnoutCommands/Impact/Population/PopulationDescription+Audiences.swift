package import TurnoutEngine

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
