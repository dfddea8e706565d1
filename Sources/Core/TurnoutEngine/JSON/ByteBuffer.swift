/// Bytes that only grow at the end.
///
/// An array would do, but appending to one costs about ninety instructions however short the piece is, and a payload is
/// made of seventy short pieces. Here, room is made once and the pieces are copied without asking again.
struct ByteBuffer: Sendable {
    /// Longer than ``count``; the rest is room.
    private var storage: [UInt8] = []
    private(set) var count = 0

    mutating func removeAll() { count = 0 }

    /// Calls a function that writes at most `room` bytes.
    @inline(__always)
    mutating func write(room: Int, _ body: (inout ByteCursor) -> Void) {
        if count + room > storage.count { grow(by: room) }
        let start = count
        count = storage.withUnsafeMutableBufferPointer { storage in
            var cursor = ByteCursor(room: UnsafeMutableBufferPointer(rebasing: storage[start..<(start + room)]))
            body(&cursor)
            return start + cursor.count
        }
    }

    private mutating func grow(by more: Int) {
        let size = max(storage.count * 2, count + more, 64)
        // Not appended to: without optimization that calls into the runtime for each byte, where all threads meet. Not
        // filled with zeros: nobody reads the room, which is larger than what is written, before it is written.
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
