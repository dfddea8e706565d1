import Foundation
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
        /// The file of what a task does; nil: the program's. Only tests choose one, so that they leave nothing behind.
        @TaskLocal package static var chosen: SQLiteStorage?

        static var current: SQLiteStorage { chosen ?? standard }

        private static let standard = SQLiteStorage.open(directory: directory)

        /// The program's other processes with the same user of the system share it; other programs have others.
        private static var directory: String {
            let places = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
            return (places.first ?? FileManager.default.temporaryDirectory)
                .appending(path: "rollout-manager").appending(path: ProcessInfo.processInfo.processName).path
        }
    #endif

    /// The machine's network.
    static var transport: any Transport {
        #if Curl && os(Linux)
            .curl
        #else
            .urlSession
        #endif
    }

    /// Keeps the configurations of servers.
    static var configurations: any DatafileCache {
        #if SQLite
            current.datafiles
        #else
            .memory
        #endif
    }
}

extension DrawStorage {
    /// In a SQLite file of this program, which its other processes with the same user of the system share. What the
    /// vendor's library left in the standard user defaults is taken over. Without SQLite: in those defaults.
    public static var ofThisProgram: DrawStorage {
        #if SQLite
            DrawStorage(ProgramDrawStore())
        #else
            .userDefaults(.standard)
        #endif
    }
}
