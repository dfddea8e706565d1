/// A collection of items in insertion order that can be taken from either end.
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
