// The part of swift-log's interface that the integrations use. Discards entries, unless a logger has a handler of its
// own.

public struct Logger: Sendable {
    public typealias Metadata = [String: MetadataValue]

    public enum Level: String, Sendable, CaseIterable, Comparable {
        case trace, debug, info, notice, warning, error, critical

        public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    public struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible,
        Sendable, Equatable
    {
        public let description: String

        public init(stringLiteral value: String) { description = value }
    }

    public enum MetadataValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible,
        Sendable
    {
        case string(String)

        public var description: String {
            switch self {
            case .string(let text): text
            }
        }

        public init(stringLiteral value: String) { self = .string(value) }
    }

    public let label: String
    public var handler: any LogHandler
    public var logLevel: Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    public init(label: String) { self.init(label: label) { _ in NoLogHandler() } }

    public init(label: String, factory: (String) -> any LogHandler) {
        self.label = label
        handler = factory(label)
    }

    public func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {
        guard logLevel <= level else { return }
        handler.log(
            level: level, message: message(), metadata: metadata(), source: source() ?? "", file: file,
            function: function, line: line)
    }
}

public protocol LogHandler: Sendable {
    subscript(metadataKey key: String) -> Logger.MetadataValue? { get set }
    var metadata: Logger.Metadata { get set }
    var logLevel: Logger.Level { get set }

    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
        function: String, line: UInt)
}

struct NoLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
        function: String, line: UInt
    ) {}
}
