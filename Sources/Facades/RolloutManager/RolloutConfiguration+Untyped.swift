import Foundation
import TurnoutClient
import TurnoutEngine
import TurnoutRollouts

extension RolloutConfiguration {
    /// Converts a program's dictionary, and logs warnings about it.
    init(untyped dictionary: [AnyHashable: Any], log: any Log) {
        self.init(JSONValue.members(dictionary, depth: 0))
        report(to: log)
    }

    /// Reads a file's contents, and logs warnings about them.
    init(checking contents: [UInt8], log: any Log) throws(RolloutSourceError) {
        do throws(RolloutConfigurationError) { try self.init(contents: contents) } catch {
            throw .unusable(error.description)
        }
        report(to: log)
    }

    private func report(to log: any Log) {
        for warning in warnings { log(.warning, "configuration: \(warning)") }
    }
}

extension JSONValue {
    /// Anything nested deeper than experiments, their parts and the parts' values is invalid in any case.
    private static let depthLimit = 3

    /// Converts a value. A type that no configuration contains becomes null.
    fileprivate init(untyped value: Any, depth: Int) {
        switch value {
        case let text as String: self = .string(text)
        case let isOn as Bool: self = .bool(isOn)
        case let number as any BinaryInteger: self = .integer(Int64(clamping: number))
        case let number as any BinaryFloatingPoint: self = .double(Double(number))
        case let number as NSNumber: self = .double(number.doubleValue)
        case let dictionary as [AnyHashable: Any]: self = .object(Self.members(dictionary, depth: depth))
        // The elements of a list are never read.
        case is [Any]: self = .array([])
        default: self = .null
        }
    }

    fileprivate static func members(_ dictionary: [AnyHashable: Any], depth: Int) -> [String: JSONValue] {
        guard depth < depthLimit else { return [:] }
        let members = dictionary.map { key, value in
            ((key as? String) ?? "\(key.base)", JSONValue(untyped: value, depth: depth + 1))
        }
        return Dictionary(members) { first, _ in first }
    }
}
