import TurnoutClient

/// A value that is set once; later assignments change nothing.
package struct FirstAssignment<Value: Sendable>: ~Copyable, Sendable {
    private let standard: Value
    private let assigned = Locked<Value?>(nil)

    /// Creates a value that is `standard` until it is set.
    package init(orElse standard: Value) { self.standard = standard }

    package var value: Value { assigned.withLock { $0 } ?? standard }

    package func assign(_ value: Value) {
        assigned.withLock { if $0 == nil { $0 = value } }
    }
}
