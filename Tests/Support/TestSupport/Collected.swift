import TurnoutClient

/// A list that many threads and tasks add to.
package final class Collected<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    /// What was added, in order.
    package var all: [Element] { elements.withLock { $0 } }
    /// How much was added.
    package var count: Int { elements.withLock { $0.count } }

    /// An empty list.
    package init() {}

    /// Adds to the end.
    package func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
