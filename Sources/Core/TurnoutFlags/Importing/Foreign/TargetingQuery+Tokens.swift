import TurnoutEngine

extension TargetingQuery {
    /// The comparisons of queries.
    enum Comparison {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains, `in`

        var match: AttributeTest.Match? {
            switch self {
            case .equal, .notEqual: .exact
            case .less: .less
            case .lessOrEqual: .lessOrEqual
            case .greater: .greater
            case .greaterOrEqual: .greaterOrEqual
            case .contains, .in: nil
            }
        }

        var versionMatch: AttributeTest.Match? {
            switch self {
            case .equal, .notEqual: .versionEqual
            case .less: .versionLess
            case .lessOrEqual: .versionLessOrEqual
            case .greater: .versionGreater
            case .greaterOrEqual: .versionGreaterOrEqual
            case .contains, .in: nil
            }
        }
    }

    /// The comparisons by their spellings in lower case.
    static let comparisons: [String: Comparison] = [
        "eq": .equal, "==": .equal, "ne": .notEqual, "!=": .notEqual, "lt": .less, "<": .less, "le": .lessOrEqual,
        "<=": .lessOrEqual, "gt": .greater, ">": .greater, "ge": .greaterOrEqual, ">=": .greaterOrEqual,
        "co": .contains, "in": .in,
    ]

    /// Words, texts in quotes, and the symbols of groups and lists. Escapes in texts are kept, as the tool keeps them.
    static func tokens(of bytes: [UInt8]) throws(Problem) -> [Token] {
        var tokens: [Token] = []
        var rest = bytes[...]
        while let byte = rest.first {
            guard tokens.count < tokenLimit else { throw Problem(reason: "the query is too long") }
            switch byte {
            case 0x20, 0x09...0x0D: rest.removeFirst()
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","):
                tokens.append(.symbol(byte))
                rest.removeFirst()
            case UInt8(ascii: "\""):
                rest.removeFirst()
                var end = rest.startIndex
                while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
                    end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard end < rest.endIndex else { throw Problem(reason: "the query has an unterminated string") }
                tokens.append(.text(String(decoding: rest[..<end], as: UTF8.self)))
                rest = rest[(end + 1)...]
            default:
                let word = rest.prefix { byte in byte > 0x20 && !"()[],\"".utf8.contains(byte) }
                tokens.append(.word(String(decoding: word, as: UTF8.self)))
                rest = rest[word.endIndex...]
                // A byte below the space that is not white space.
                if word.isEmpty { throw Problem(reason: "the query has a control character") }
            }
        }
        return tokens
    }
}
