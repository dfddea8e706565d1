import Foundation
import TestProcesses
import TestSupport
import TurnoutServer

@Suite("gzip", .blocking)
struct ZlibTests {
    private let zlib = Zlib()

    private static func content(_ size: Int) -> [UInt8] {
        var random = SplitMix(state: UInt64(size))
        return (0..<size).map { _ in UInt8(random.next() % 40) + 60 }
    }

    @Test(arguments: [0, 1, 100, 32_767, 32_768, 32_769, 415_000])
    func contentIsTheSameAfterExpansion(size: Int) throws {
        let content = Self.content(size)
        let compressed = try #require(zlib.gzip(content))
        #expect(try zlib.decompress(compressed, .gzip, limit: size) == content)
        #expect(compressed.count < size || size <= 100)
    }

    @Test func theSameContentIsCompressedToTheSameBytes() throws {
        let content = Self.content(10_000)
        let first = try #require(zlib.gzip(content))
        #expect(zlib.gzip(content) == first)
        // No time is in the header.
        #expect(first[4..<8].allSatisfy { $0 == 0 })
        #expect(try #require(Zlib(level: 9).gzip(content)).count <= first.count)
    }

    @Test func gzipReadsIt() throws {
        let compressed = try #require(zlib.gzip(Array("hello\n".utf8)))
        #expect(try ChildProcess.output(of: "gzip", ["-dc"], input: Data(compressed)) == "hello\n")
    }

    @Test func partsAreOneContent() throws {
        let parts = try #require(zlib.gzip([1, 2])) + #require(zlib.gzip([])) + #require(zlib.gzip([3]))
        #expect(try zlib.decompress(parts, .gzip, limit: 10) == [1, 2, 3])
    }

    @Test func bothFormatsOfDeflateAreRead() throws {
        // "hello" with and without zlib's header and checksum.
        let plain: [UInt8] = [0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        let wrapped: [UInt8] = [0x78, 0x9C] + plain + [0x06, 0x2C, 0x02, 0x15]
        for bytes in [plain, wrapped] { #expect(try zlib.decompress(bytes, .deflate, limit: 5) == Array("hello".utf8)) }
    }

    @Test func damagedContentIsRefused() throws {
        let compressed = try #require(zlib.gzip(Self.content(1_000)))
        var damaged = compressed
        damaged[compressed.count / 2] ^= 1
        for bytes in [
            [], [0x1F], Array(compressed.dropLast()), Array(compressed.prefix(10)), damaged, compressed + [0],
            Array(compressed.dropFirst()),
        ] { #expect(throws: DecompressionError.invalid) { try zlib.decompress(bytes, .gzip, limit: 1 << 20) } }
    }
}
