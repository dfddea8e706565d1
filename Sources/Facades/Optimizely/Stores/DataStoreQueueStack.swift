/// Items in the order in which they came, to be taken from either end.
public protocol DataStoreQueueStack {
    /// What is kept.
    associatedtype T

    /// The number of items.
    var count: Int { get }

    /// Adds an item at the end.
    func save(item: T)

    /// The oldest items, at most `count`; nil if there are none.
    func getFirstItems(count: Int) -> [T]?

    /// The newest items, at most `count`, in the order in which they came; nil if there are none.
    func getLastItems(count: Int) -> [T]?

    /// Removes the oldest items, at most `count`, and returns them; nil if there are none.
    func removeFirstItems(count: Int) -> [T]?

    /// Removes the newest items, at most `count`, and returns them; nil if there are none.
    func removeLastItems(count: Int) -> [T]?
}
