/// Why and where a JSON text, or a value in it, is invalid.
public struct JSONError: Error, Sendable, Equatable {
    /// The problem, as the end of a sentence: `expected a string, found a number`.
    public let message: String
    /// The line of the first invalid byte, counted from 1.
    public let line: Int
    /// The column in bytes within the line, counted from 1.
    public let column: Int
    /// The path of the value, from the root down. Empty for the text as a whole.
    public private(set) var path: [PathComponent] = []

    /// One step down in a JSON document.
    public enum PathComponent: Sendable, Equatable {
        /// A member of an object.
        case key(String)
        /// An element of an array, counted from 0.
        case index(Int)
    }

    /// The same error with the enclosing path component added.
    package consuming func inside(_ component: PathComponent) -> JSONError {
        path.insert(component, at: 0)
        return self
    }

    /// The path as text, in the notation of JSONPath: `$.experiments[3].status`.
    public var pathText: String { Self.text(of: path) }

    static func text(of path: [PathComponent]) -> String {
        path.reduce(into: "$") { text, component in
            switch component {
            case .key(let key):
                let isPlain =
                    !key.isEmpty
                    && key.utf8.allSatisfy { byte in
                        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "-")
                            || byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
                    }
                text += isPlain ? "." + key : "[\(key.debugDescription)]"
            case .index(let index): text += "[\(index)]"
            }
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// `$.experiments[3].status: expected a string, found a number (line 40, column 17)`.
    public var description: String {
        (path.isEmpty ? "" : pathText + ": ") + message + " (line \(line), column \(column))"
    }
}
