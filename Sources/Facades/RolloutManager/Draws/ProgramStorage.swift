public import Foundation
import TurnoutClient

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

#if SQLite
    package import TurnoutSQLite
#endif

/// The files and the network of a program, which its managers and sources share.
package enum ProgramStorage {
    #if SQLite
        static var current: SQLiteStorage { chosen ?? standard }

        /// Shared by the program's processes under one user account; other programs have other directories.
        static var directory: String {
            base.appending(path: "rollout-manager").appending(path: ProcessInfo.processInfo.processName).path
        }

        /// The storage that replaces a suite of user defaults. Shared by all programs under one user account.
        static func suite(_ name: String) -> SQLiteStorage {
            suites.withLock { suites in
                if let storage = suites[name] { return storage }
                let storage = SQLiteStorage.open(
                    directory: directory(ofSuite: name), log: StandardErrorLog().ofThisModule)
                suites[name] = storage
                return storage
            }
        }

        /// The directory of the storage that replaces a suite.
        package static func directory(ofSuite name: String) -> String {
            let escaped = name.utf8.map { byte in
                let isPlain = byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-")
                return isPlain ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16)
            }.joined()
            // Directory names are limited to 255 bytes.
            let short = escaped.utf8.count < 200 ? escaped : "\(escaped.prefix(150))%\(fingerprint(of: name))"
            return base.appending(path: "rollout-manager-suites").appending(path: short).path
        }

        private static var base: URL {
            let places = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
            return places.first ?? FileManager.default.temporaryDirectory
        }
    #endif

    /// A short hash of a string of any length.
    static func fingerprint(of text: String) -> String {
        // FNV-1a of 64 bits.
        String(text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
    }

    static var transport: any Transport {
        #if Curl && os(Linux)
            .curl
        #else
            .urlSession
        #endif
    }

    static var configurations: any DatafileCache {
        #if SQLite
            current.datafiles
        #else
            .memory
        #endif
    }
}

extension DrawStorage {
    /// Stores draws in a SQLite file of this program, shared by its processes under one user account. Draws of the
    /// vendor's library in the standard user defaults are migrated. Without SQLite, stores draws in the standard user
    /// defaults.
    public static var ofThisProgram: DrawStorage {
        #if SQLite
            DrawStorage(MigratingDrawStore(.standard) { ProgramStorage.current })
        #else
            DrawStorage(UserDefaultsDrawStore(.standard))
        #endif
    }

    /// Stores draws in user defaults, under the keys of the vendor's library.
    ///
    /// On Linux, stores draws in a SQLite file for the suite and migrates the draws under those keys, because a process
    /// that ends while Foundation writes user defaults leaves an empty file there, and processes overwrite each other's
    /// values. The standard user defaults stand for the file of ``ofThisProgram``. Without SQLite, uses the user
    /// defaults.
    public static func userDefaults(_ defaults: UserDefaults) -> DrawStorage {
        #if SQLite && !canImport(Darwin)
            // Foundation stores the suite name in a private property; nil for the standard user defaults.
            guard let suite = Mirror(reflecting: defaults).children.first(where: { $0.label == "suite" }) else {
                return DrawStorage(UserDefaultsDrawStore(defaults))
            }
            guard let name = suite.value as? String else { return ofThisProgram }
            return DrawStorage(MigratingDrawStore(defaults) { ProgramStorage.suite(name) })
        #else
            DrawStorage(UserDefaultsDrawStore(defaults))
        #endif
    }
}

#if SQLite
    extension ProgramStorage {
        /// The program's storage, opened on first use.
        static let standard = SQLiteStorage.open(directory: directory, log: StandardErrorLog().ofThisModule)

        /// The storages that replace suites of user defaults, by name.
        static let suites = Locked<[String: SQLiteStorage]>([:])

        /// A storage for the current task; nil for the program's. Set only by tests, to leave no files behind.
        @TaskLocal package static var chosen: SQLiteStorage?
    }
#endif
