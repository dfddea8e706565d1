import Foundation

/// The example project of the repository, with its users and their profiles.
enum ExampleShop {
    static let datafile = bytes(of: "datafile.json")

    /// The datafile as a document.
    static func document() throws -> JSONValue { try parsed.get() }

    /// Parsed once, because many tests change a copy.
    private static let parsed = Result { try JSONValue(parsing: datafile) }

    static func project() throws -> Project { try Project(datafile: datafile) }

    /// The stored assignments of a user of `users.ndjson`.
    static func profile(of user: User) throws -> UserProfile {
        try JSONValue(parsing: bytes(of: "profiles.json"))[user.id].map { UserProfile($0) } ?? UserProfile()
    }

    static func users() throws -> [User] {
        try bytes(of: "users.ndjson").split(separator: 0x0A).map { try User(parsing: Array($0)) }
    }

    private static func bytes(of name: String) -> [UInt8] {
        // This file is four folders below the root of the repository.
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let file = root.appending(path: "Examples/Shop").appending(path: name)
        return (try? Data(contentsOf: file)).map { [UInt8]($0) } ?? []
    }
}

extension JSONValue {
    var text: String? { if case .string(let value) = self { value } else { nil } }
    var elements: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    var members: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
}
