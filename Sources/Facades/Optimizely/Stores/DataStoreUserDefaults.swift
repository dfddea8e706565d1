import Foundation

/// Keeps values with the settings of the user: texts, numbers, dates, bytes, and lists and maps of these.
public class DataStoreUserDefaults: OPTDataStore {
    #if os(tvOS)
        /// The largest value in bytes; beyond it the system ends the application.
        package static let largestSize = 128_000
    #else
        /// The largest value in bytes. Settings are held in memory as a whole.
        package static let largestSize = 1_000_000
    #endif

    /// Creates a store.
    package init() {}

    /// The value of a key, or nil: there is none.
    public func getItem(forKey: String) -> Any? { UserDefaults.standard.object(forKey: forKey) }

    /// Keeps a value. One that settings cannot hold, or that is too large, is refused, with an error in the log.
    public func saveItem(forKey: String, value: Any) {
        guard let size = Self.size(of: value) else {
            return OPTLoggerFactory.log(.error, "A value cannot be kept in the settings: wrong type.")
        }
        guard size <= Self.largestSize else {
            return OPTLoggerFactory.log(
                .error, "A value is too large for the settings: \(size) bytes.")
        }
        UserDefaults.standard.set(value, forKey: forKey)
    }

    /// Forgets the value of a key.
    public func removeItem(forKey: String) { UserDefaults.standard.removeObject(forKey: forKey) }

    /// The size of a value, or nil: settings cannot hold it, a nil in particular, on which Foundation ends the process.
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
