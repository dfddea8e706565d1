/// A synthetic load with the same requests in each run.
enum Load {
    /// One request per user, as a client would send it.
    static func requests(of users: ClosedRange<Int>) -> AsyncStream<String> {
        AsyncStream { continuation in
            for number in users { continuation.yield(request(number)) }
            continuation.finish()
        }
    }

    private static func request(_ number: Int) -> String {
        let country = ["US", "CA", "FI"][number % 3]
        let event = number.isMultiple(of: 10) ? #", "event": "purchase""# : ""
        return """
            {"user": "user-\(number)", "attributes": {"country": "\(country)", "orders": \(number % 20), \
            "cart_total": \(number % 150)}\(event)}
            """
    }

    /// The datafile with all traffic of `checkout_test` on `one_page`, and another revision.
    static func datafileOfTheNextDay(after datafile: [UInt8]) -> [UInt8] {
        Array(
            String(decoding: datafile, as: UTF8.self)
                .replacing(#""revision": "42""#, with: #""revision": "43""#)
                .replacing(#""41011", "endOfRange": 4000"#, with: #""41011", "endOfRange": 0"#)
                .replacing(#""41012", "endOfRange": 7000"#, with: #""41012", "endOfRange": 0"#).utf8)
    }
}
