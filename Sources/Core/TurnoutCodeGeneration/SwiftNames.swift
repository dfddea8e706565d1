/// The Swift names of flags, variations or variables with any keys.
///
/// `checkout_redesign`, `checkout-redesign` and `CHECKOUT_REDESIGN` become `checkoutRedesign`. Keys that would have the
/// same name get the complete key appended. A name never depends on the order of the keys: if it did, removing one
/// could give its name to another, and code would silently use that.
package struct SwiftNames: Sendable {
    /// The kind of entity that the keys name; the raw value is appended to names that the generated code needs itself.
    package enum Kind: String, Sendable {
        case flag = "Flag"
        case variation = "Variation"
        case variable = "Variable"

        /// The members of the generated type, and names with a special meaning after a dot.
        fileprivate var reserved: Set<String> {
            switch self {
            case .flag: ["client", "init", "self"]
            case .variation: ["allCases", "init", "none", "self", "some"]
            case .variable: ["decision", "init", "isEnabled", "self", "variation"]
            }
        }
    }

    private let members: [String: String]

    /// Chooses the names for all keys of a kind in a scope.
    package init(for keys: [String], kind: Kind) {
        let plain = keys.map { (key: $0, name: Self.name(of: $0, kind)) }
        let namesakes = Dictionary(grouping: plain) { Self.type(of: $0.name) }
        members = Dictionary(
            plain.map { key, name in
                let isUnique = namesakes[Self.type(of: name)]?.count == 1
                return (key, isUnique ? name : name + "_" + Self.spelledOut(key))
            }
        ) { $1 }
    }

    /// The name of a method, property or case, without backticks.
    package func member(_ key: String) -> String { members[key] ?? "" }

    /// The name of a type.
    package func type(_ key: String) -> String { Self.type(of: member(key)) }

    /// The name as it is declared: in backticks if it is a keyword.
    package func declaration(_ key: String) -> String {
        let name = member(key)
        return Self.keywords.contains(name) ? "`\(name)`" : name
    }

    // MARK: Conversion

    private static func name(of key: String, _ kind: Kind) -> String {
        var name = camelCase(key)
        if name.isEmpty { return kind.rawValue.lowercased() }
        if name.utf8.first.map(isDigit) == true { name = "_" + name }
        return kind.reserved.contains(name) ? name + kind.rawValue : name
    }

    /// The words of a key, joined with capitals. Everything but letters and ASCII digits separates words.
    private static func camelCase(_ key: String) -> String {
        let hasLowercase = key.unicodeScalars.contains { $0.properties.isLowercase }
        let words = (hasLowercase ? key : key.lowercased()).unicodeScalars.split { !isNameScalar($0) }.map(String.init)
        guard let first = words.first else { return "" }
        return words.dropFirst().reduce(into: lowercasingStart(of: first)) { $0 += capitalized($1) }
    }

    /// `URLCheck` as `urlCheck`, `Shop` as `shop`.
    private static func lowercasingStart(of word: String) -> String {
        let capitals = word.prefix { $0.isASCII && $0.isUppercase }.count
        let next = word.dropFirst(capitals).first
        let count = capitals > 1 && next?.isLowercase == true ? capitals - 1 : capitals
        return word.prefix(count).lowercased() + word.dropFirst(count)
    }

    private static func capitalized(_ word: some StringProtocol) -> String {
        guard let first = word.first, first.isASCII else { return String(word) }
        return first.uppercased() + word.dropFirst()
    }

    /// The type beside a member. Members without a first letter that has a capital get a prefix.
    private static func type(of name: String) -> String {
        let type = capitalized(name)
        guard type != name else { return Kind.flag.rawValue + name.drop { $0 == "_" } }
        return reservedTypes.contains(type) ? type + Kind.flag.rawValue : type
    }

    /// The complete key: letters and digits unchanged, other characters as their numbers. Different for each key.
    private static func spelledOut(_ key: String) -> String {
        key.unicodeScalars.reduce(into: "") { text, scalar in
            text += isNameScalar(scalar) ? String(scalar) : "_" + String(scalar.value, radix: 16) + "_"
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether a character may be part of a name, at any place but the first for digits.
    private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.properties.isAlphabetic || isDigit(UInt8(scalar.value)) }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            // The one letter that Swift does not accept.
            return scalar != "\u{2E2F}"
        default: return false
        }
    }

    // MARK: Words of the language

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do",
        "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import",
        "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public",
        "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while",
    ]

    /// The types that the generated code names without their module, and names that no type can have.
    private static let reservedTypes: Set<String> = [
        "Any", "Bool", "CaseIterable", "Double", "Duration", "Flags", "Int", "Protocol", "Self", "Sendable", "String",
        "Swift", "TurnoutClient", "Type",
    ]
}
