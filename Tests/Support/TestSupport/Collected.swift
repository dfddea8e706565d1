import TurnoutClient

/// A thread-safe list.
package final class Collected<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    /// The added elements, in order.
    package var all: [Element] { elements.withLock { $0 } }
    /// The number of elements.
    package var count: Int { elements.withLock { $0.count } }

    /// Creates an empty list.
    package init() {}

    package func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
