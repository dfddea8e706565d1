package import Foundation

/// The directories and names of stores' files.
package enum StoreDirectory {
    /// The default directory of stores.
    package static var standard: URL {
        #if os(macOS) || os(tvOS)
            directory(.cachesDirectory)
        #elseif canImport(Darwin)
            directory(.documentDirectory)
        #else
            // Caches may be cleared at any time, but queues must persist; documents belong to the user.
            directory(.applicationSupportDirectory).appending(path: "optimizely", directoryHint: .isDirectory)
        #endif
    }

    /// The directory of the vendor's Swift client.
    package static var ofVendor: URL {
        #if os(macOS) || os(tvOS)
            directory(.cachesDirectory)
        #else
            directory(.documentDirectory)
        #endif
    }

    /// The directory for this program's durable data; other programs have other directories.
    package static var ofThisProgram: URL {
        directory(.applicationSupportDirectory).appending(path: "optimizely", directoryHint: .isDirectory)
            .appending(path: fileName(for: ProcessInfo.processInfo.processName), directoryHint: .isDirectory)
    }

    /// The directory in which Optimizely's Objective-C client stored datafiles, by key.
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
    /// Other bytes are written as `%` and two hexadecimal digits, so no name leads out of the directory and no two
    /// names share a file.
    package static func fileName(for name: String) -> String {
        let text = name.utf8.enumerated().map { offset, byte in
            isPlain(byte) && !(offset == 0 && byte == UInt8(ascii: "."))
                ? String(UnicodeScalar(byte)) : escaped(byte)
        }.joined()
        guard !text.isEmpty else { return "%" }
        // File names are limited to 255 bytes; the hash keeps long names distinct.
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
