import Foundation
import TurnoutClient

/// Stores values in user defaults: strings, numbers, dates, data, and arrays and dictionaries of these.
public class DataStoreUserDefaults: OPTDataStore {
    #if os(tvOS)
        /// The maximum size of a value in bytes; the system terminates the application if it is exceeded.
        package static let largestSize = 128_000
    #else
        /// The maximum size of a value in bytes. User defaults are kept in memory as a whole.
        package static let largestSize = 1_000_000
    #endif

    package init() {}

    /// Returns the value for a key, or nil if there is none.
    public func getItem(forKey: String) -> Any? { UserDefaults.standard.object(forKey: forKey) }

    /// Stores a value. A value of an unsupported type, or one that is too large, is refused, with an error in the log.
    public func saveItem(forKey: String, value: Any) {
        guard let size = Self.size(of: value) else {
            return OPTLoggerFactory.log(
                .error, "user defaults: a value is not stored, because its type is not supported")
        }
        guard size <= Self.largestSize else {
            return OPTLoggerFactory.log(
                .error,
                "user defaults: a value is not stored: it has \(size) bytes, and the limit is \(Self.largestSize)")
        }
        UserDefaults.standard.set(value, forKey: forKey)
    }

    /// Removes the value for a key.
    public func removeItem(forKey: String) { UserDefaults.standard.removeObject(forKey: forKey) }

    /// The size of a value, or nil if user defaults cannot store it; in particular a nil, for which Foundation
    /// terminates the process.
    private static func size(of value: Any) -> Int? {
        switch value {
        case let data as Data: data.count
        case let text as String: text.utf8.count
        case is any BinaryInteger, is any BinaryFloatingPoint, is Bool, is Date: 8
        default:
            PropertyListSerialization.propertyList(value, isValidFor: .binary)
                ? try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0).count : nil
        }
    }
}
