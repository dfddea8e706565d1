/// A command: a name and arguments, which may be any text.
struct RedisCommand: Sendable {
    let arguments: [String]

    init(_ arguments: String...) { self.arguments = arguments }
    init(_ arguments: [String]) { self.arguments = arguments }

    static let asking = RedisCommand("ASKING")
    static let multi = RedisCommand("MULTI")
    static let exec = RedisCommand("EXEC")

    /// Appends the encoded command: the number of arguments, then each argument after its length.
    func encode(into bytes: inout [UInt8]) {
        Self.append("*", arguments.count, to: &bytes)
        for argument in arguments {
            Self.append("$", argument.utf8.count, to: &bytes)
            bytes.append(contentsOf: argument.utf8)
            bytes.append(contentsOf: Self.lineEnd)
        }
    }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private static func append(_ mark: Unicode.Scalar, _ number: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: mark))
        bytes.append(contentsOf: String(number).utf8)
        bytes.append(contentsOf: lineEnd)
    }
}
