import Foundation
import TurnoutClient

/// Stores the device's id. Called under a lock; must not call back into the manager.
package protocol VuidStore: Sendable {
    /// The stored id, or nil if there is none.
    func load() -> String?
    /// Stores an id, replacing an earlier one.
    func save(_ vuid: String)
}

/// Stores the id in `UserDefaults.standard`.
package struct UserDefaultsVuidStore: VuidStore {
    private static let key = "optimizely-vuid"

    package init() {}

    package func load() -> String? { UserDefaults.standard.string(forKey: Self.key) }

    package func save(_ vuid: String) {
        UserDefaults.standard.set(vuid, forKey: Self.key)
        // Darwin writes user defaults by itself; on Linux only this call does.
        #if !canImport(Darwin)
            UserDefaults.standard.synchronize()
        #endif
    }
}

/// Stores the id in memory.
package final class MemoryVuidStore: VuidStore {
    private let vuid: Locked<String?>

    /// Creates a store with an initial id, if any.
    package init(_ vuid: String? = nil) { self.vuid = Locked(vuid) }

    package func load() -> String? { vuid.withLock { $0 } }

    package func save(_ vuid: String) { self.vuid.withLock { $0 = vuid } }
}
