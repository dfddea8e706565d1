/// The shape of a JSON value: each member with its type, and no others.
indirect enum Shape: Sendable {
    /// A string that passes a named check.
    case string(String, @Sendable (String) -> Bool)
    case bool
    case integer(ClosedRange<Int64>)
    /// An integer or another number.
    case number
    /// A string, a number or a Boolean.
    case scalar
    /// A scalar or null.
    case scalarOrNull
    case null
    case array(Shape, count: ClosedRange<Int>)
    /// Required members, optional ones, and the shape of others; nil allows no others.
    case object([String: Shape], optional: [String: Shape] = [:], others: Shape? = nil)
    case either(Shape, Shape)
    case anything

    static var text: Shape { .string("a string") { _ in true } }
    static var filled: Shape { .string("a string that is not empty") { !$0.isEmpty } }
    static func exactly(_ texts: String...) -> Shape { .string("one of \(texts)") { texts.contains($0) } }
    static var uuid: Shape {
        .string("an id in upper case") { $0 == UUID(uuidString: $0)?.uuidString && $0.dropFirst(14).first == "4" }
    }
    static var digits: Shape {
        .string("digits") { !$0.isEmpty && $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    }

    /// The differences between a value and this shape, with their places.
    func problems(with value: JSONValue, at place: String = "") -> [String] {
        switch (self, value) {
        case (.anything, _), (.bool, .bool), (.number, .integer), (.null, .null): return []
        case (.number, .double(let number)): return number.isFinite ? [] : ["\(place): no number"]
        case (.integer(let range), .integer(let number)):
            return range.contains(number) ? [] : ["\(place): \(number) is out of range"]
        case (.string(let name, let isRight), .string(let text)):
            return isRight(text) ? [] : ["\(place): \(text.debugDescription) is not \(name)"]
        case (.scalar, .string), (.scalar, .bool), (.scalar, .integer), (.scalar, .double): return []
        case (.scalarOrNull, .null): return []
        case (.scalarOrNull, _): return Shape.scalar.problems(with: value, at: place)
        case (.array(let shape, let count), .array(let elements)):
            let problems = count.contains(elements.count) ? [] : ["\(place): \(elements.count) elements"]
            return problems + elements.enumerated().flatMap { shape.problems(with: $1, at: "\(place)[\($0)]") }
        case (.object(let required, let optional, let others), .object(let members)):
            let missing = required.keys.filter { members[$0] == nil }.map { "\(place): no \($0)" }
            return missing
                + members.flatMap { name, member in
                    guard let shape = required[name] ?? optional[name] ?? others else { return ["\(place): \(name)?"] }
                    return shape.problems(with: member, at: "\(place).\(name)")
                }
        case (.either(let one, let other), _):
            let problems = one.problems(with: value, at: place)
            return problems.isEmpty || other.problems(with: value, at: place).isEmpty ? [] : problems
        default: return ["\(place): \(value) is of another type"]
        }
    }
}
