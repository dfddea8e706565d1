package import TurnoutFlags

/// The tokens for management requests, with their scopes.
///
/// A file in YAML or JSON lists them. A token is kept as its SHA-256, so that the file does not allow access:
///
/// ```yaml
/// tokens:
///   deployment:
///     sha256: <64 hexadecimal digits>
///     scopes: [read, flags]
/// ```
///
/// A token must be long and random; `turnout token new` makes one, and adds its hash to the file.
package struct ManagementTokens: Sendable {
    package struct Token: Sendable, Equatable {
        package let name: String
        /// The SHA-256 of the token.
        package let hash: [UInt8]
        /// The operations that it allows.
        package let scopes: Set<ManagementScope>
    }

    package let tokens: [Token]
    private let cryptography: any Cryptography

    /// Creates a list of tokens.
    ///
    /// - Parameters:
    ///   - tokens: The tokens. Default: none.
    ///   - cryptography: Hashes and compares.
    package init(_ tokens: [Token] = [], cryptography: any Cryptography) {
        self.tokens = tokens
        self.cryptography = cryptography
    }

    /// Whether there are no tokens.
    package var isEmpty: Bool { tokens.isEmpty }

    /// The token that a request presents, or nil if it is not in the list.
    package func token(_ text: String) -> Token? {
        let hash = cryptography.sha256(Array(text.utf8))
        // All of them are compared, so that the time does not tell the place in the list.
        return tokens.reduce(nil) { found, token in
            cryptography.isEqualInConstantTime(token.hash, hash) ? token : found
        }
    }

    // MARK: File

    /// Reads a file of tokens.
    ///
    /// - Throws: ``TokenFileError`` for the first mistake.
    package static func read(_ root: Node, in source: SourceFile) throws(TokenFileError) -> [Token] {
        guard let list = root["tokens"], list.isMapping else {
            throw TokenFileError(source, root, "expected a mapping \"tokens\"")
        }
        return try list.members.map { (member) throws(TokenFileError) in
            try read(member, in: source)
        }
    }

    private static func read(_ member: Node.Member, in source: SourceFile) throws(TokenFileError) -> Token {
        let name = member.key.text
        for key in member.value.members.map(\.key.text) where !["sha256", "scopes"].contains(key) {
            throw TokenFileError(source, member.value, "token \(name): unknown key \"\(key)\"")
        }
        guard let hash = member.value["sha256"]?.text.flatMap({ [UInt8](hexadecimal: $0) }), hash.count == 32 else {
            throw TokenFileError(source, member.value, "token \(name): expected \"sha256\" with 64 hexadecimal digits")
        }
        let words = member.value["scopes"]?.elements ?? []
        let scopes = words.compactMap { $0.text.flatMap(ManagementScope.init(rawValue:)) }
        guard !scopes.isEmpty, scopes.count == words.count else {
            let names = ManagementScope.allCases.map(\.rawValue).joined(separator: ", ")
            throw TokenFileError(source, member.value, "token \(name): expected \"scopes\", a list of \(names)")
        }
        return Token(name: name, hash: hash, scopes: Set(scopes))
    }
}

/// A mistake in a file of tokens, with its place. It contains no token.
package struct TokenFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The place and the problem: `tokens.yaml:3: token ci: expected …`.
    package let description: String

    init(_ source: SourceFile, _ node: Node, _ problem: String) {
        description = "\(source.name):\(source.position(of: node.range.lowerBound).line): \(problem)"
    }
}

extension [UInt8] {
    /// Reads pairs of hexadecimal digits; nil if the text is anything else.
    fileprivate init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0, digits.allSatisfy({ $0 != nil }) else { return nil }
        let values = digits.compactMap { $0 }
        self = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}
