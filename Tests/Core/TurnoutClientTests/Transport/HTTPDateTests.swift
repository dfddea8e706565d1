@Suite struct HTTPDateTests {
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
