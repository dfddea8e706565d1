import Foundation
package import TurnoutClient

/// The id of this device, a visitor's id, for those who want one.
public final class VuidManager: Sendable {
    /// The id that all clients of the program share.
    public static let shared = VuidManager()

    private struct State {
        var isEnabled = false
        var vuid: String?
    }

    private let store: any VuidStore
    private let random: any RandomSource
    private let state = Locked(State())

    /// Creates a manager with a store of its own.
    package init(store: any VuidStore = ProgramVuidStore(), random: any RandomSource = .system) {
        self.store = store
        self.random = random
    }

    /// Says whether there is an id. The first time, one is made and stored; from then on it stays the same.
    ///
    /// Not wanting one deletes nothing: other clients of the program may want it, and so may this one next time.
    public func configure(enable: Bool) {
        state.withLock { state in
            state.isEnabled = enable
            if enable, state.vuid == nil { state.vuid = storedOrNew() }
        }
    }

    /// The id, or nil: it is not wanted.
    public var vuid: String? { state.withLock { $0.isEnabled ? $0.vuid : nil } }

    /// The id for a client that wants one or not. A client that does not want one changes nothing for the others.
    package func vuid(enabled: Bool) -> String? {
        guard enabled else { return nil }
        configure(enable: true)
        return vuid
    }

    private func storedOrNew() -> String {
        if let stored = store.load(), OdpUserKey.isVUID(stored) { return stored }
        let vuid = OdpUserKey.newVUID(random: random)
        store.save(vuid)
        return vuid
    }
}

/// Keeps the id of this device. Called under a lock; must not call back.
package protocol VuidStore: Sendable {
    /// The id, or nil: none was stored.
    func load() -> String?
    /// Stores an id, in place of an earlier one.
    func save(_ vuid: String)
}

/// Keeps the id where the program keeps everything that should outlast it.
package struct ProgramVuidStore: VuidStore {
    /// Creates the store.
    package init() {}
    package func load() -> String? { World.current.storage.vuid().load() }
    package func save(_ vuid: String) { World.current.storage.vuid().save(vuid) }
}

/// Keeps the id in the program's settings.
package struct UserDefaultsVuidStore: VuidStore {
    private static let key = "optimizely-vuid"

    /// Creates the store.
    package init() {}

    package func load() -> String? { UserDefaults.standard.string(forKey: Self.key) }

    package func save(_ vuid: String) {
        UserDefaults.standard.set(vuid, forKey: Self.key)
        // Elsewhere the system stores by itself; on Linux only this does.
        #if !canImport(Darwin)
            UserDefaults.standard.synchronize()
        #endif
    }
}

/// Keeps the id as long as the process runs.
package final class MemoryVuidStore: VuidStore {
    private let vuid: Locked<String?>

    /// Creates a store, with an id from before if there is one.
    package init(_ vuid: String? = nil) { self.vuid = Locked(vuid) }

    package func load() -> String? { vuid.withLock { $0 } }

    package func save(_ vuid: String) { self.vuid.withLock { $0 = vuid } }
}
