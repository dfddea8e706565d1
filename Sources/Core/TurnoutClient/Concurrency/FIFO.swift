/// A first-in, first-out queue. Adding and taking an element take constant time on average.
package struct FIFO<Element> {
    /// The newest elements, and the older ones in reverse order, so that taking the oldest moves no others.
    private var newer: [Element] = []
    private var older: [Element] = []

    package init() {}

    package var count: Int { newer.count + older.count }

    /// Adds an element at the end.
    package mutating func append(_ element: Element) { newer.append(element) }

    /// Removes the first element; nil if there is none.
    package mutating func popFirst() -> Element? {
        if older.isEmpty {
            // Both arrays keep their capacity.
            swap(&older, &newer)
            older.reverse()
        }
        return older.popLast()
    }

    /// Removes an element. Returns whether there was one.
    @discardableResult
    package mutating func remove(where isWanted: (Element) -> Bool) -> Bool {
        if let place = older.firstIndex(where: isWanted) {
            older.remove(at: place)
        } else if let place = newer.firstIndex(where: isWanted) {
            newer.remove(at: place)
        } else {
            return false
        }
        return true
    }
}

extension FIFO: Sendable where Element: Sendable {}
