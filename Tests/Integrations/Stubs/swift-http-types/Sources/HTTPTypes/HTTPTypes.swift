// The part of swift-http-types' interface that the recipes use.

public struct HTTPField: Sendable, Hashable {
    public struct Name: Sendable, Hashable {
        public let rawName: String

        public init?(_ name: String) {
            guard !name.isEmpty else { return nil }
            rawName = name
        }
    }
}

public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private var values: [String: String]

    public init() { values = [:] }

    public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
        values = Dictionary(elements.map { ($0.0.rawName.lowercased(), $0.1) }) { "\($0), \($1)" }
    }

    public subscript(name: HTTPField.Name) -> String? {
        get { values[name.rawName.lowercased()] }
        set { values[name.rawName.lowercased()] = newValue }
    }
}

public struct HTTPRequest: Sendable, Hashable {
    public struct Method: Sendable, Hashable {
        public static let get = Method(rawValue: "GET")

        public let rawValue: String
    }

    public var method: Method
    public var path: String?
    public var headerFields: HTTPFields

    public init(method: Method, scheme: String?, authority: String?, path: String?, headerFields: HTTPFields = [:]) {
        self.method = method
        self.path = path
        self.headerFields = headerFields
    }
}

public struct HTTPResponse: Sendable, Hashable {
    public struct Status: Sendable, Hashable {
        public static let ok = Status(code: 200)

        public let code: Int
    }

    public var status: Status
}
