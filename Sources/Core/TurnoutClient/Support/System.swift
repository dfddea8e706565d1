// System functions that the standard library lacks, and that would cost 10 MB with Foundation: the time of day, a fast
// clock, the standard error output, random numbers, memory comparison, the environment, and the system's version.

import LibC

enum StandardError {
    /// Writes a string in one piece, as far as the system allows.
    static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { writeOnce($0) }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    private static func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
        LibC.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
}

enum TimeOfDay {
    static var millisecondsSince1970: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

enum Uptime {
    /// The system's uptime, by a clock that is read in a few nanoseconds and lags by some milliseconds. On Linux it
    /// stops while the system sleeps, which servers do not.
    static var coarse: Duration {
        #if canImport(Darwin)
            return .nanoseconds(Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)))
        #else
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            return .nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        #endif
    }
}

enum Entropy {
    /// The largest block that the system fills at once.
    private static let wordLimit = 32

    /// Unpredictable numbers. On Linux the standard library makes a system call for each, which takes ten times as
    /// long.
    static func words(_ count: Int) -> [UInt64] {
        var system = SystemRandomNumberGenerator()
        #if canImport(Glibc)
            return [UInt64](unsafeUninitializedCapacity: count) { words, initializedCount in
                for start in stride(from: 0, to: count, by: wordLimit) {
                    let part = UnsafeMutableBufferPointer(rebasing: words[start..<min(start + wordLimit, count)])
                    guard getentropy(part.baseAddress, part.count * MemoryLayout<UInt64>.size) != 0 else { continue }
                    for place in part.indices { part.initializeElement(at: place, to: system.next()) }
                }
                initializedCount = count
            }
        #else
            return (0..<count).map { _ in system.next() }
        #endif
    }
}

package enum MemoryComparison {
    /// Whether two memory regions hold the same bytes.
    @inline(__always)
    package static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        guard left.count == right.count else { return false }
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return memcmp(first, second, left.count) == 0
    }
}

enum Environment {
    /// The value of an environment variable, or nil if it is not set.
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

enum OperatingSystem {
    /// The version, such as `6.1.0`; that of the kernel if the system itself has none.
    static var version: String {
        #if canImport(Darwin)
            var length = 0
            guard sysctlbyname("kern.osproductversion", nil, &length, nil, 0) == 0, length > 0 else { return "0" }
            var text = [UInt8](repeating: 0, count: length)
            guard sysctlbyname("kern.osproductversion", &text, &length, nil, 0) == 0 else { return "0" }
            return number(text)
        #else
            var names = utsname()
            guard uname(&names) == 0 else { return "0" }
            return withUnsafeBytes(of: &names.release) { number($0) }
        #endif
    }

    /// The leading digits and dots of a string.
    private static func number(_ text: some Sequence<UInt8>) -> String {
        let digits = text.prefix { 48...57 ~= $0 || $0 == UInt8(ascii: ".") }
        let version = String(decoding: Array(digits), as: UTF8.self)
        return version.isEmpty ? "0" : version
    }
}
