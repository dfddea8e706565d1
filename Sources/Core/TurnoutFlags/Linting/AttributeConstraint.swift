import TurnoutEngine

/// The constraint that several tests of one attribute together put on its value.
///
/// An attribute has one value, of one type. It is a string, a number, a Boolean, something else, or absent; an
/// attribute that is null counts as absent.
struct AttributeConstraint: Sendable {
    /// The types that the value can have.
    struct Kinds: OptionSet, Sendable {
        let rawValue: Int

        static let string = Kinds(rawValue: 1)
        static let number = Kinds(rawValue: 2)
        static let boolean = Kinds(rawValue: 4)
        static let other = Kinds(rawValue: 8)
        static let absent = Kinds(rawValue: 16)
        static let present: Kinds = [.string, .number, .boolean, .other]
        static let any: Kinds = [.string, .number, .boolean, .other, .absent]
    }

    /// A value that a test compares with.
    enum Scalar: Hashable, Sendable {
        case string(String)
        case number(Double)
        case boolean(Bool)

        fileprivate var kind: Kinds {
            switch self {
            case .string: .string
            case .number: .number
            case .boolean: .boolean
            }
        }
    }

    private var kinds = Kinds.any
    /// The value is one of these; nil for any.
    private var allowed: Set<Scalar>?
    private var excluded: Set<Scalar> = []
    private var low = (value: -Double.infinity, isIncluded: true)
    private var high = (value: Double.infinity, isIncluded: true)
    /// Whether the value is a number that compares with others. NaN fails every comparison, so it satisfies every
    /// negated one.
    private var isOrdered = false

    init(_ kinds: Kinds = .any) { self.kinds = kinds }

    /// A value that equals one of these.
    init(oneOf values: Set<Scalar>) {
        kinds = values.reduce(into: []) { $0.formUnion($1.kind) }
        allowed = values
    }

    /// A value of the same type as another, which it does not equal.
    init(otherThan value: Scalar) {
        kinds = value.kind
        excluded = [value]
    }

    /// A number below or above another; `isComparison` says that it is not not-a-number.
    init(_ match: AttributeTest.Match, _ number: Double, isComparison: Bool) {
        kinds = .number
        isOrdered = isComparison
        switch match {
        case .greater: low = (number, false)
        case .greaterOrEqual: low = (number, true)
        case .less: high = (number, false)
        case .lessOrEqual: high = (number, true)
        default: break
        }
    }

    /// The values that it admits, if these are all that is known; nil otherwise.
    var values: Set<Scalar>? {
        let isRange = low.value > -.infinity || high.value < .infinity || isOrdered
        return isRange || !excluded.isEmpty ? nil : allowed
    }

    /// How many values it has, and at least 1.
    var size: Int { 1 + (allowed?.count ?? 0) + excluded.count }

    /// Adds what another test says.
    mutating func form(_ other: AttributeConstraint) {
        kinds.formIntersection(other.kinds)
        if let values = other.allowed { allowed = allowed?.intersection(values) ?? values }
        excluded.formUnion(other.excluded)
        if other.low.value > low.value || (other.low.value == low.value && !other.low.isIncluded) { low = other.low }
        if other.high.value < high.value || (other.high.value == high.value && !other.high.isIncluded) {
            high = other.high
        }
        isOrdered = isOrdered || other.isOrdered
    }

    /// Whether provably no value meets all tests.
    ///
    /// - Complexity: O(n) in the number of values.
    var isImpossible: Bool {
        if kinds.isEmpty { return true }
        if let allowed { return allowed.allSatisfy { !admits($0) } }
        if kinds == .boolean { return excluded.isSuperset(of: [.boolean(true), .boolean(false)]) }
        guard kinds == .number, isOrdered, low.value >= high.value else { return false }
        return low.value > high.value || !admits(.number(low.value))
    }

    /// Whether it is certain that every value that meets these tests also meets those of `other`.
    ///
    /// - Complexity: O(n) in the number of values.
    func isWithin(_ other: AttributeConstraint) -> Bool {
        if let allowed { return allowed.allSatisfy { !admits($0) || other.admits($0) } }
        guard other.allowed == nil, other.kinds.isSuperset(of: kinds), !other.excluded.contains(where: admits) else {
            return false
        }
        guard kinds.contains(.number) else { return true }
        return (isOrdered || !other.isOrdered)
            && (low.value, low.isIncluded ? 0 : 1) >= (other.low.value, other.low.isIncluded ? 0 : 1)
            && (high.value, high.isIncluded ? 1 : 0) <= (other.high.value, other.high.isIncluded ? 1 : 0)
    }

    private func admits(_ value: Scalar) -> Bool {
        guard kinds.contains(value.kind), !excluded.contains(value), allowed?.contains(value) != false else {
            return false
        }
        guard case .number(let number) = value else { return true }
        return (low.isIncluded ? number >= low.value : number > low.value)
            && (high.isIncluded ? number <= high.value : number < high.value)
    }
}

extension AttributeTest {
    /// The constraint on the attribute's value if the test gives an answer; an unknown answer is neither.
    ///
    /// Texts are compared only for equality, and versions not at all, because the comparison of versions has no order
    /// that ranges could follow.
    func constraint(_ answer: Bool) -> AttributeConstraint {
        switch (match, scalar) {
        case (.exists, _): AttributeConstraint(answer ? .present : .absent)
        case (.exact, let value?): answer ? AttributeConstraint(oneOf: [value]) : AttributeConstraint(otherThan: value)
        case (.greater, .number(let number)?):
            AttributeConstraint(answer ? .greater : .lessOrEqual, number, isComparison: answer)
        case (.greaterOrEqual, .number(let number)?):
            AttributeConstraint(answer ? .greaterOrEqual : .less, number, isComparison: answer)
        case (.less, .number(let number)?):
            AttributeConstraint(answer ? .less : .greaterOrEqual, number, isComparison: answer)
        case (.lessOrEqual, .number(let number)?):
            AttributeConstraint(answer ? .lessOrEqual : .greater, number, isComparison: answer)
        case (.substring, .string?), (.versionEqual, .string?), (.versionGreater, .string?),
            (.versionGreaterOrEqual, .string?), (.versionLess, .string?), (.versionLessOrEqual, .string?):
            AttributeConstraint(.string)
        default: AttributeConstraint(.present)
        }
    }

    /// Whether the values that ``constraint(_:)`` admits are exactly those with that answer.
    var isKnownByItsConstraint: Bool {
        switch (match, scalar) {
        case (.exists, _), (.exact, _?), (.greater, .number?), (.greaterOrEqual, .number?), (.less, .number?),
            (.lessOrEqual, .number?):
            true
        default: false
        }
    }

    private var scalar: AttributeConstraint.Scalar? {
        switch value {
        case .string(let value): .string(value)
        case .integer(let value): .number(Double(value))
        case .double(let value): .number(value)
        case .bool(let value): .boolean(value)
        default: nil
        }
    }
}
