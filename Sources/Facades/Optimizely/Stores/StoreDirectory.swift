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
        #if !canImport(Darwin)
            if let path = path(of: place) { return URL(filePath: path, directoryHint: .isDirectory) }
        #endif
        return FileManager.default.urls(for: place, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
    }

    #if !canImport(Darwin)
        /// A directory as Foundation finds it, but without reading the whole environment several times, which takes a
        /// fifth of a client's start. Nil if only Foundation knows it.
        private static func path(of place: FileManager.SearchPathDirectory) -> String? {
            guard getenv("CFFIXED_USER_HOME") == nil, let home = variable("HOME"), let configuration else { return nil }
            switch place {
            case .applicationSupportDirectory: return variable("XDG_DATA_HOME") ?? home + "/.local/share"
            // The user may have chosen another directory for documents. The standard one does not depend on HOME.
            case .documentDirectory where access(configuration + "/user-dirs.dirs", F_OK) != 0:
                return getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) + "/Documents" }
            default: return nil
            }
        }

        /// The directory of programs' configurations.
        private static var configuration: String? {
            variable("XDG_CONFIG_HOME") ?? variable("HOME").map { $0 + "/.config" }
        }

        /// The absolute path in an environment variable.
        private static func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
    #endif

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
