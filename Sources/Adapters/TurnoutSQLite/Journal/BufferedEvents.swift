#if SQLite
    /// Buffered events, oldest first. Removing the first one takes constant time.
    struct BufferedEvents: Sendable {
        private var elements: [BufferedEvent?] = []
        private var head = 0

        var count: Int { elements.count - head }
        var isEmpty: Bool { count == 0 }

        var first: BufferedEvent? { isEmpty ? nil : elements[head] }

        mutating func append(_ event: BufferedEvent) { elements.append(event) }

        /// Adds another list's events at the end.
        mutating func append(contentsOf other: BufferedEvents) { elements += other.elements[other.head...] }

        /// Removes the first event.
        mutating func removeFirst() {
            guard !isEmpty else { return }
            elements[head] = nil
            head += 1
            compact()
        }

        /// Removes and returns the first event that satisfies a condition, or returns nil.
        mutating func removeFirst(where condition: (BufferedEvent) -> Bool) -> BufferedEvent? {
            for place in head..<elements.count {
                guard let element = elements[place], condition(element) else { continue }
                if place > head { elements.remove(at: place) } else { removeFirst() }
                return element
            }
            return nil
        }

        /// Removes all events that satisfy a condition.
        mutating func removeAll(where condition: (BufferedEvent) -> Bool) {
            elements.removeSubrange(..<head)
            head = 0
            elements.removeAll { $0.map(condition) ?? true }
        }

        private mutating func compact() {
            guard head > 1_024, head > count else { return }
            elements.removeSubrange(..<head)
            head = 0
        }
    }

    extension BufferedEvents: Sequence {
        func makeIterator() -> AnyIterator<BufferedEvent> {
            var place = head
            return AnyIterator {
                guard place < elements.count else { return nil }
                defer { place += 1 }
                return elements[place]
            }
        }
    }
#endif
