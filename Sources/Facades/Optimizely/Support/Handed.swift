/// Something that is handed to another thread although its type does not say that it may be.
///
/// The interface of 5.4.2 takes closures and services without any mark, because the programs that use it capture
/// variables in them and keep state in them. Those programs were always called from other threads.
// @unchecked Sendable because callers of this interface answer for what they hand in, as they always did, and the
// module's own classes keep their state behind locks.
package struct Handed<Value>: @unchecked Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}

/// As ``Handed``, for an object that may be gone by then.
// @unchecked Sendable because of the same reasons; the reference itself never changes.
final class HandedWeakly<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Object?
    init(_ object: Object?) { self.object = object }
}
