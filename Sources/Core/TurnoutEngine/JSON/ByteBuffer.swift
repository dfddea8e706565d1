/// An append-only byte buffer.
///
/// Appending to an array costs about ninety instructions however short the piece is, and a payload consists of seventy
/// short pieces. This buffer reserves room once and copies the pieces without further checks.
struct ByteBuffer: Sendable {
    /// Longer than ``count``; the rest is reserved.
    private var storage: [UInt8] = []
    private(set) var count = 0

    mutating func removeAll() { count = 0 }

    /// Calls a function that writes at most `room` bytes.
    @inline(__always)
    mutating func write(room: Int, _ body: (inout ByteCursor) -> Void) {
        if count + room > storage.count { grow(by: room) }
        let start = count
        count = storage.withUnsafeMutableBufferPointer { storage in
            let room = UnsafeMutableBufferPointer(rebasing: storage[start..<(start + room)])
            guard var cursor = ByteCursor(room: room) else { return start }
            body(&cursor)
            return start + cursor.count
        }
    }

    private mutating func grow(by more: Int) {
        let size = max(storage.count * 2, count + more, 64)
        // Not appended to: without optimization that calls into the runtime for each byte, where all threads contend.
        // Not zero-filled: the reserved room is never read before it is written.
        storage = [UInt8](unsafeUninitializedCapacity: size) { larger, initializedCount in
            storage.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(larger).copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            initializedCount = size
        }
    }

    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        storage.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }
}
