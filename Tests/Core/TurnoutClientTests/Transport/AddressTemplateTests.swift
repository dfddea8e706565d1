/// Names in an address template are escaped, whatever characters they have.
@Suite struct AddressTemplateTests {
    @Test(arguments: [
        ("Abc-1_2.3", "Abc-1_2.3"), ("../../admin", "..%2F..%2Fadmin"), ("100%", "100%25"), ("%2e%2e", "%252e%252e"),
        ("a b\n", "a%20b%0A"), ("🙂", "%F0%9F%99%82"), ("%@", "%25%40"), ("{sdkKey}", "%7BsdkKey%7D"),
        ("a?b#c&d", "a%3Fb%23c%26d"), ("k@host:1", "k%40host%3A1"), ("~", "%7E"), ("...", "..."),
    ])
    func namesAreEscaped(name: String, escaped: String) throws {
        for text in ["https://example.test/{sdkKey}/file", " https://example.test/%@/file "] {
            let template = AddressTemplate(text, placeholder: "sdkKey")
            #expect(try template.address(of: name) == "https://example.test/\(escaped)/file")
        }
    }

    @Test func allPlaceholdersAreFilled() throws {
        let template = AddressTemplate("https://{key}.example.test/%@?k={key}", placeholder: "key")
        #expect(try template.address(of: "a%@") == "https://a%25%40.example.test/a%25%40?k=a%25%40")
    }

    @Test(arguments: ["", ".", ".."]) func emptyAndDotSegmentsAreRefused(name: String) {
        let template = AddressTemplate("https://example.test/{key}/file", placeholder: "key")
        #expect(throws: AddressTemplate.Problem.self) { try template.address(of: name) }
    }

    @Test(arguments: [
        ("", "scheme"), ("example.test/{key}", "scheme"), ("://{key}", "scheme"), ("https:/{key}", "scheme"),
        ("{key}://example.test", "scheme"), ("https://example.test/{Key}/{key}", "placeholder"),
        ("https://example.test/{key}/a b", "escaped"), ("https://example.test/{key}/é", "escaped"),
        ("https://example.test/{key}/%d", "%"), ("https://example.test/{key}/%", "%"),
    ])
    func invalidAddressesAreRefused(text: String, reason: String) {
        let template = AddressTemplate(text, placeholder: "key")
        let problem = #expect(throws: AddressTemplate.Problem.self) {
            try template.address(of: "secret", isRequired: false)
        }
        #expect(problem?.description.contains(reason) == true && problem?.description.contains("secret") == false)
    }

    @Test func aPlaceholderMayBeRequired() throws {
        let template = AddressTemplate("https://example.test/file%20a", placeholder: "key")
        #expect(try template.address(of: "secret", isRequired: false) == "https://example.test/file%20a")
        #expect(throws: AddressTemplate.Problem.self) { try template.address(of: "secret") }
    }

    @Test(arguments: [
        (nil, nil), ("", nil), ("soon", nil), ("-1", nil), ("120", 120), (" 7 ", 7), ("0", 0), ("99999999", 86_400),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 0),
    ])
    func retryAfterIsParsed(text: String?, seconds: Int64?) {
        let headers = text.map { ["Retry-After": $0] } ?? [:]
        #expect(HTTPResponse(status: 503, headers: headers).retryAfter == seconds.map { .seconds($0) })
    }

    // MARK: HTTP date

    @Test func datesAreWrittenInTheStandardFormat() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.text(4_102_444_799) == "Thu, 31 Dec 2099 23:59:59 GMT")
    }

    @Test func eachWrittenDateReadsBack() {
        // Steps of a prime number of seconds, over 130 years from 1970 on.
        for seconds in stride(from: Int64(0), to: 4_102_444_800, by: 7_654_321) {
            #expect(HTTPDate.millisecondsSince1970(HTTPDate.text(seconds)) == seconds * 1_000)
        }
    }
}
