/// A value that is passed to another thread although its type is not `Sendable`.
///
/// The interface of 5.4.2 takes closures and services without `@Sendable` or `Sendable`, because programs that use it
/// capture variables in them and keep state in them. The vendor's client already calls them from other threads.
// @unchecked Sendable because callers of this interface are responsible for the thread safety of what they pass in, as
// with the vendor's client, and the module's own classes keep their state behind locks.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}

/// As ``UncheckedSendable``, for a weakly referenced object.
// @unchecked Sendable because of the same reasons; only deallocation of the object changes the reference.
final class WeakUncheckedSendable<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?
    init(_ object: Object?) { self.object = object }
}
