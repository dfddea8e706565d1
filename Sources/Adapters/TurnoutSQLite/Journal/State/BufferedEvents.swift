#if SQLite
    package import TurnoutClient

    /// An event that is not in the file yet.
    package struct BufferedEvent: Sendable {
        let queue: Int
        package let event: OutgoingEvent
        /// Its temporary id, until it is in the file.
        let id: Int64
        /// Its commit group and its index there, if a caller waits for the outcome. Only such events can be refused
        /// after they were added.
        let place: (group: Int, index: Int)?

        /// An estimate of the memory that an event takes.
        static func size(of event: OutgoingEvent) -> Int { event.visitor.count + 200 }
        var size: Int { Self.size(of: event) }
    }

    /// Buffered events, oldest first. Removing the first one takes constant time.
    package struct BufferedEvents: Sendable {
        private var elements: [BufferedEvent?] = []
        private var head = 0

        var count: Int { elements.count - head }
        var isEmpty: Bool { count == 0 }

        var first: BufferedEvent? { isEmpty ? nil : elements[head] }

        mutating func append(_ event: BufferedEvent) { elements.append(event) }

        /// Adds another list's events at the end.
        mutating func append(contentsOf other: BufferedEvents) { elements += other.elements[other.head...] }

        mutating func removeFirst() {
            guard !isEmpty else { return }
            elements[head] = nil
            head += 1
            compact()
        }

        /// Removes and returns the first event of a queue; nil if there is none, or if it is in that commit group.
        mutating func removeFirst(of queue: Int, unlessIn group: Int) -> BufferedEvent? {
            for place in head..<elements.count {
                guard let element = elements[place], element.queue == queue else { continue }
                guard element.place?.group != group else { return nil }
                if place > head { elements.remove(at: place) } else { removeFirst() }
                return element
            }
            return nil
        }

        /// Removes and returns all events that satisfy a condition.
        mutating func removeAll(where condition: (BufferedEvent) -> Bool) -> [BufferedEvent] {
            let all = elements[head...].compactMap { $0 }
            (elements, head) = (all.filter { !condition($0) }, 0)
            return all.filter(condition)
        }

        private mutating func compact() {
            guard head > 1_024, head > count else { return }
            elements.removeSubrange(..<head)
            head = 0
        }
    }

    extension BufferedEvents: Sequence {
        package func makeIterator() -> AnyIterator<BufferedEvent> {
            var place = head
            return AnyIterator {
                guard place < elements.count else { return nil }
                defer { place += 1 }
                return elements[place]
            }
        }
    }
#endif
