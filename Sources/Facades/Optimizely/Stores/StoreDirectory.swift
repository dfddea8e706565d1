package import Foundation

/// Where the files of stores lie, and how they are named.
package enum StoreDirectory {
    /// The system's place for the files of stores.
    package static var standard: URL {
        #if os(macOS) || os(tvOS)
            directory(.cachesDirectory)
        #elseif canImport(Darwin)
            directory(.documentDirectory)
        #else
            // Caches may be emptied at any time, but queues must last; documents belong to the user.
            directory(.applicationSupportDirectory).appending(path: "optimizely", directoryHint: .isDirectory)
        #endif
    }

    /// The place for what this program must not lose; other programs have others.
    package static var ofThisProgram: URL {
        directory(.applicationSupportDirectory).appending(path: "optimizely", directoryHint: .isDirectory)
            .appending(path: fileName(for: ProcessInfo.processInfo.processName), directoryHint: .isDirectory)
    }

    /// The place where Optimizely's Objective-C client kept datafiles, by their keys.
    package static var ofDatafiles: URL {
        #if os(tvOS)
            let place = FileManager.SearchPathDirectory.cachesDirectory
        #elseif canImport(Darwin)
            let place = FileManager.SearchPathDirectory.libraryDirectory
        #else
            let place = FileManager.SearchPathDirectory.applicationSupportDirectory
        #endif
        return directory(place).appending(path: "optimizely/datafile", directoryHint: .isDirectory)
    }

    private static func directory(_ place: FileManager.SearchPathDirectory) -> URL {
        FileManager.default.urls(for: place, in: .userDomainMask).first ?? FileManager.default.temporaryDirectory
    }

    /// A file name for a store: the name itself if it consists of letters, digits and a few signs.
    ///
    /// Everything else is written as `%` and two hexadecimal digits per byte, so that no name leads out of the
    /// directory and no two names share a file.
    package static func fileName(for name: String) -> String {
        let text = name.utf8.enumerated().map { offset, byte in
            isPlain(byte) && !(offset == 0 && byte == UInt8(ascii: "."))
                ? String(UnicodeScalar(byte)) : escaped(byte)
        }.joined()
        guard !text.isEmpty else { return "%" }
        // Names of files end at 255 bytes; the hash keeps long names apart.
        guard text.utf8.count > 200 else { return text }
        let hash = MurmurHash3.hash128(key: name)
        return text.prefix(160) + "%-" + String(hash.h1, radix: 16) + String(hash.h2, radix: 16)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func escaped(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
