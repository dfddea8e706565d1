import LibC
import LoopbackServer
import TurnoutClient

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

/// Writes a line in one unbuffered call, so that it is written however the program ends.
func say(_ text: String, to file: Int32 = 1) {
    let line = Array((text + "\n").utf8)
    _ = write(file, line, line.count)
}

/// Prints a message, and exits.
func end(_ text: String, status: Int32) -> Never {
    say(text, to: 2)
    exit(status)
}

/// Opens a file for appending.
func appending(_ path: String) -> Int32 {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { end("durability: cannot write \(path)", status: 2) }
    return file
}

/// The contents of a file.
func contents(of path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { end("durability: cannot read \(path)", status: 2) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return bytes }
        bytes += buffer[..<count]
    }
}

/// The monotonic time in milliseconds, which scripts read from the same clock.
var milliseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}

/// Blocks the thread.
func pause(milliseconds: Int) { usleep(UInt32(max(0, milliseconds)) * 1_000) }

/// The resident memory of the process in bytes, or nil if the system does not report it.
var residentBytes: Int? {
    #if os(Linux)
        let fields = String(decoding: contents(of: "/proc/self/statm"), as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) } : nil
    #else
        return nil
    #endif
}

#if Curl && os(Linux)
    typealias Network = CurlTransport
#else
    typealias Network = URLSessionTransport
#endif

extension Transport where Self == Network {
    /// A transport for the test server, which has no certificate.
    static var insecure: Network { Network(TransportOptions(allowsInsecureHTTP: true)) }
}
