/// Requests in memcached's text protocol, which proxies support, unlike the newer meta commands.
///
/// ``ProfileKey`` ensures that keys are visible ASCII, so they cannot contain a line end.
package enum MemcachedRequest {
    /// Reads values and their versions.
    package static func lookUp(_ keys: some Collection<String>) -> [UInt8] {
        var bytes = [UInt8]("gets".utf8)
        bytes.reserveCapacity(6 + keys.reduce(0) { $0 + $1.utf8.count + 1 })
        for key in keys {
            bytes.append(UInt8(ascii: " "))
            bytes.append(contentsOf: key.utf8)
        }
        bytes.append(contentsOf: lineEnd)
        return bytes
    }

    /// Stores a value unless there is one.
    static func add(_ key: String, _ text: [UInt8], expiring: Int) -> [UInt8] {
        line("add \(key) 0 \(expiring) \(text.count)", text)
    }

    /// Replaces a certain version of a value.
    static func replace(_ key: String, version: UInt64, with text: [UInt8], expiring: Int) -> [UInt8] {
        line("cas \(key) 0 \(expiring) \(text.count) \(version)", text)
    }

    static func remove(_ key: String) -> [UInt8] { line("delete \(key)", nil) }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private static func line(_ text: String, _ data: [UInt8]?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + (data?.count ?? 0) + 4)
        bytes.append(contentsOf: text.utf8)
        bytes.append(contentsOf: lineEnd)
        if let data {
            bytes.append(contentsOf: data)
            bytes.append(contentsOf: lineEnd)
        }
        return bytes
    }
}
