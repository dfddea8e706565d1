@Suite struct CallingThreadTests {
    @Test func numbersOfThreadsDifferInTheirLowBits() async throws {
        let numbers = Collected<Int>()
        let latch = Latch()
        for _ in 0..<64 {
            WorkThread.run {
                let number = CallingThread.number
                latch.pass()
                #expect(CallingThread.number == number)
                numbers.add(number)
            }
        }
        latch.open()
        try await wait("all threads") { numbers.count == 64 }
        // About 40 of 64 stripes would be random.
        #expect(Set(numbers.all.map { $0 & 63 }).count > 16)
    }

    @Test func fingerprintsSelectShardsByTheLowBits() {
        #expect(CallingThread.fingerprint >> 48 == UInt64(truncatingIfNeeded: CallingThread.number) & 0xFFFF)
    }
}
