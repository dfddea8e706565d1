import TurnoutEngine

/// A list of users in CSV or NDJSON.
struct SegmentUpload {
    /// A problem of a list. Contains no personal data.
    struct Problem: Error, Equatable {
        /// The line, counted from 1.
        let line: Int
        let message: String
    }

    enum Format: Equatable {
        /// The users are in the first column.
        case csv
        /// Each line is a string, or an object with `user_id`.
        case ndjson

        /// The format that a request's `Content-Type` names; nil for another one.
        init?(contentType: String?) {
            let name = contentType?.prefix { $0 != ";" && $0 != " " }.lowercased()
            switch name {
            case "text/csv", "text/plain": self = .csv
            case "application/x-ndjson", "application/ndjson", "application/jsonl": self = .ndjson
            default: return nil
            }
        }
    }

    /// The users, in the order of the list.
    private(set) var users: [String] = []

    /// Reads a list. Empty lines are skipped.
    ///
    /// - Complexity: O(*n*) in the length of the list.
    init(_ body: [UInt8], _ format: Format) throws(Problem) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var rest = body.starts(with: mark) ? body.dropFirst(3) : body[...]
        var (number, isFirst) = (0, format == .csv)
        while let line = Self.takeLine(of: &rest, format) {
            number += 1
            guard !line.isEmpty else { continue }
            guard let (user, isOnly) = format == .csv ? Self.firstColumn(line) : Self.user(line) else {
                throw Problem(line: number, message: Self.expectation(format))
            }
            if isFirst {
                isFirst = false
                if user == "user_id" { continue }
                guard isOnly else { throw Problem(line: number, message: Self.missingNames) }
                guard !["user_id;", "user_id\t"].contains(where: user.hasPrefix) else {
                    throw Problem(line: number, message: "columns are separated by commas")
                }
            }
            guard SegmentLimits.allows(user) else {
                throw Problem(line: number, message: "a user id has 1 to \(SegmentLimits.textLength) bytes")
            }
            users.append(user)
        }
    }

    /// Takes the next line. It ends in LF or CR LF; in CSV also in CR, which some spreadsheets write. In JSON
    /// a CR is a blank.
    private static func takeLine(of text: inout ArraySlice<UInt8>, _ format: Format) -> ArraySlice<UInt8>? {
        guard !text.isEmpty else { return nil }
        let end = text.firstIndex { $0 == 0x0A || $0 == 0x0D && format == .csv } ?? text.endIndex
        let line = text[..<end]
        text = text[end...].starts(with: [0x0D, 0x0A]) ? text[(end + 2)...] : text[end...].dropFirst()
        return line.last == 0x0D ? line.dropLast() : line
    }

    private static let missingNames = "a table with several columns begins with a line of names, user_id first"

    private static func expectation(_ format: Format) -> String {
        format == .csv
            ? "the first column is not UTF-8, or a quotation mark is missing"
            : "expected a string, or an object with \"user_id\""
    }

    private static func user(_ line: ArraySlice<UInt8>) -> (text: String, isOnly: Bool)? {
        let value = try? JSONValue(parsing: Array(line))
        if case .string(let user)? = value { return (user, true) }
        if case .string(let user)? = value?["user_id"] { return (user, true) }
        return nil
    }

    /// The first column, in which quotation marks are doubled if it is in quotation marks (RFC 4180), and whether there
    /// is no other. Nil if the second mark is missing.
    private static func firstColumn(_ line: ArraySlice<UInt8>) -> (text: String, isOnly: Bool)? {
        let (mark, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
        guard line.first == mark else {
            let column = line.prefix { $0 != comma }
            return String(validating: column, as: UTF8.self).map { ($0, column.count == line.count) }
        }
        var (column, index) = ([UInt8](), line.startIndex + 1)
        while index < line.endIndex {
            if line[index] == mark {
                guard index + 1 < line.endIndex, line[index + 1] == mark else {
                    return String(validating: column, as: UTF8.self).map { ($0, !line[index...].contains(comma)) }
                }
                index += 1
            }
            column.append(line[index])
            index += 1
        }
        return nil
    }
}
