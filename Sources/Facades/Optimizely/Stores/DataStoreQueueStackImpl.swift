import Dispatch
import Foundation
import TurnoutClient

// @unchecked Sendable because the store is only used on `queue`.
/// A queue of items in a data store, under one key, each encoded as JSON. Unreadable items are skipped.
public class DataStoreQueueStackImpl<T>: DataStoreQueueStack, @unchecked Sendable where T: Codable {
    private let key: String
    private let store: any OPTDataStore
    /// Serializes access, because removing items is a read followed by a write.
    private let queue: DispatchQueue

    /// Creates a queue in a data store.
    ///
    /// - Parameters:
    ///   - queueStackName: The key of the items.
    ///   - dataStore: Stores a `[Data]`. No other code may write under that key.
    package init(queueStackName: String, dataStore: any OPTDataStore) {
        key = queueStackName
        store = dataStore
        queue = DispatchQueue(label: "turnout.queue." + queueStackName)
    }

    /// The number of items, including unreadable ones.
    public var count: Int { queue.sync { stored.count } }

    /// Adds an item at the end. One that cannot be written as JSON is dropped, with an error in the log.
    public func save(item: T) {
        guard let data = try? JSONEncoder().encode(item) else {
            OPTLoggerFactory.log(.error, "queue \(key): an item cannot be encoded as JSON, and is lost")
            return
        }
        queue.sync { store.saveItem(forKey: key, value: stored + [data]) }
    }

    /// Returns the oldest items, at most `count`; nil if there are none.
    public func getFirstItems(count: Int = 1) -> [T]? { decoded(queue.sync { stored.prefix(max(count, 0)) }) }

    /// Returns the newest items, at most `count`, in insertion order; nil if there are none.
    public func getLastItems(count: Int = 1) -> [T]? { decoded(queue.sync { stored.suffix(max(count, 0)) }) }

    /// Removes the oldest items, at most `count`, and returns them; nil if there are none.
    public func removeFirstItems(count: Int = 1) -> [T]? {
        let removed = queue.sync {
            let items = stored
            let removed = items.prefix(max(count, 0))
            keep(items.dropFirst(removed.count), insteadOf: items)
            return removed
        }
        return decoded(removed)
    }

    /// Removes the newest items, at most `count`, and returns them; nil if there are none.
    public func removeLastItems(count: Int = 1) -> [T]? {
        let removed = queue.sync {
            let items = stored
            let removed = items.suffix(max(count, 0))
            keep(items.dropLast(removed.count), insteadOf: items)
            return removed
        }
        return decoded(removed)
    }

    private var stored: [Data] { store.getItem(forKey: key) as? [Data] ?? [] }

    private func keep(_ rest: ArraySlice<Data>, insteadOf items: [Data]) {
        if rest.count < items.count { store.saveItem(forKey: key, value: Array(rest)) }
    }

    private func decoded(_ items: ArraySlice<Data>) -> [T]? {
        guard !items.isEmpty else { return nil }
        return items.compactMap { data in
            let item = try? JSONDecoder().decode(T.self, from: data)
            if item == nil { OPTLoggerFactory.log(.error, "queue \(key): an item cannot be read, and is left out") }
            return item
        }
    }
}

/// A collection of items in insertion order that can be taken from either end.
///
/// It exists for programs that use the vendor's queues. This library calls no implementation but
/// ``DataStoreQueueStackImpl``.
public protocol DataStoreQueueStack {
    /// The type of the items.
    associatedtype T

    /// The number of items.
    var count: Int { get }

    /// Adds an item at the end.
    func save(item: T)

    /// Returns the oldest items, at most `count`; nil if there are none.
    func getFirstItems(count: Int) -> [T]?

    /// Returns the newest items, at most `count`, in insertion order; nil if there are none.
    func getLastItems(count: Int) -> [T]?

    /// Removes the oldest items, at most `count`, and returns them; nil if there are none.
    func removeFirstItems(count: Int) -> [T]?

    /// Removes the newest items, at most `count`, and returns them; nil if there are none.
    func removeLastItems(count: Int) -> [T]?
}
