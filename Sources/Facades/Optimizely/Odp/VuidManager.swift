package import TurnoutClient

/// Manages the device's visitor id (VUID), which clients opt in to.
public final class VuidManager: Sendable {
    private struct State {
        var isEnabled = false
        var vuid: String?
    }

    private let store: any VuidStore
    private let random: any RandomSource
    private let state = Locked(State())

    /// Creates a manager with a custom store.
    package init(store: any VuidStore = ProgramVuidStore(), random: any RandomSource = .system) {
        self.store = store
        self.random = random
    }

    /// Enables or disables the id. When first enabled, the id is generated and stored; it stays the same from then on.
    ///
    /// Disabling does not delete the stored id: other clients of the program may use it, and this one may enable it
    /// again.
    public func configure(enable: Bool) {
        state.withLock { state in
            state.isEnabled = enable
            if enable, state.vuid == nil { state.vuid = storedOrNew() }
        }
    }

    /// The id, or nil if it is disabled.
    public var vuid: String? { state.withLock { $0.isEnabled ? $0.vuid : nil } }

    /// The id for a client, or nil if the client has not enabled it. A client without the id does not affect the
    /// others.
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

/// Stores the id in the program's durable storage.
package struct ProgramVuidStore: VuidStore {
    package init() {}
    package func load() -> String? { HostEnvironment.current.storage.vuid().load() }
    package func save(_ vuid: String) { HostEnvironment.current.storage.vuid().save(vuid) }
}

extension VuidManager {
    /// The manager that all clients of the program share: the id identifies the device.
    public static let shared = VuidManager()
}
