/// Server addresses as text.
@Suite struct ServerAddressTests {
    private let schemes = ["a", "a+unix"]

    @Test func allPartsAreRead() throws {
        let address = try ServerAddress(
            "a://ad%61:p%40s,/@s@h.example:1,[::1]:65535/2,/run/x%2Cy,z?n=%20v=1&m&ttl=1m", schemes: schemes)
        #expect(address.scheme == "a" && address.user == "ada" && address.password == "p@s,/@s")
        #expect(address.places.map(\.host) == ["h.example", "::1", nil, "z"])
        #expect(address.places.map(\.port) == [1, 65_535, nil, nil])
        #expect(address.places.map(\.path) == ["", "/2", "/run/x,y", ""])
        #expect(address.parameters.map(\.name) == ["n", "m", "ttl"])
        #expect(try address.parameters[0].text() == " v=1")
        let plain = try ServerAddress("a+unix://:@/", schemes: schemes)
        #expect(plain.scheme == "a+unix" && plain.user == nil && plain.password == "" && plain.places[0].path == "/")
    }

    @Test(arguments: [
        ("", "the address begins with none of a://, a+unix://"),
        ("a:/s3cret", "the address begins with none of a://, a+unix://"), ("a://", "host 1 has no name"),
        ("a://:s3cret@", "host 1 has no name"), ("a://x,,y", "host 2 has no name"), ("a://:1", "host 1 has no name"),
        ("a://s3cret@h", "a user name needs a password: user:password@, or :password@ for no name"),
        ("a://:s3cret%4@h", "the password: a percent sign needs two hexadecimal digits"),
        ("a://:s3cret%+4@h", "the password: a percent sign needs two hexadecimal digits"),
        ("a://:s3cret%ff@h", "the password: the percent escapes are not UTF-8"),
        ("a://[::1", "a bracket before host 1 is not closed"),
        ("a://h%00s3cret", "the name of host 1 contains an invalid character"),
        ("a://h#s3cret", "the name of host 1 contains an invalid character"),
    ])
    func whatIsWrongIsNamed(_ text: String, _ message: String) {
        #expect(throws: AddressError(message)) { try ServerAddress(text, schemes: schemes) }
    }

    @Test(arguments: ["h:s3cret", "h:0", "h:65536", "h:+1", "h:", "::1", "[::1]s3cret", "h:99999999999999999999"])
    func portsAreNumbers(_ host: String) {
        #expect(
            throws: AddressError(
                host.hasPrefix(":")
                    ? "host 1 has no name"
                    : "after host 1 and a colon there must be a port from 1 to 65535; IPv6 needs brackets")
        ) { try ServerAddress("a://" + host, schemes: schemes) }
    }

    private func parameter(_ value: String) throws -> AddressParameter {
        try ServerAddress("a://h?ttl=" + value, schemes: schemes).parameters[0]
    }

    @Test(
        arguments: [
            ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("30", .seconds(30)), ("2m", .seconds(120)),
            ("12h", .seconds(43_200)), ("90d", .seconds(90 * 86_400)), ("%39d", .seconds(9 * 86_400)), ("0", nil),
            ("0ms", nil), ("-1", nil), ("+1", nil), ("1.5s", nil), ("", nil), ("s", nil), ("1w", nil), ("1 s", nil),
            ("36525d", .seconds(36_525 * 86_400)), ("36526d", nil), ("9223372036854775807d", nil), ("１s", nil),
        ] as [(String, Duration?)])
    func timesHaveUnits(_ text: String, _ expected: Duration?) throws {
        let parameter = try parameter(text)
        guard let expected else {
            #expect(throws: AddressError("ttl is not a time above 0, such as 250ms, 30s, 12h or 90d")) {
                try parameter.duration()
            }
            return
        }
        #expect(try parameter.duration() == expected)
    }

    @Test func numbersHaveLimits() throws {
        #expect(try parameter("7").number(in: 1...7) == 7)
        for text in ["0", "8", "s3cret", "", "7.0", "-1"] {
            #expect(throws: AddressError("ttl is not a number from 1 to 7")) { try parameter(text).number(in: 1...7) }
        }
        let without = try ServerAddress("a://h?ttl", schemes: schemes).parameters[0]
        #expect(throws: AddressError("ttl has no value")) { try without.text() }
    }
}
