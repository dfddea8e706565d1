public import Foundation

/// Where the draws of this device are kept.
public struct DrawStorage: Sendable {
    package let store: any DrawStore
    /// What the store could not take: without it users would change their variant from call to call.
    let unkept = MemoryDrawStore()

    /// Keeps draws in a store.
    package init(_ store: any DrawStore) { self.store = store }

    /// As long as the process runs.
    public static var memory: DrawStorage { DrawStorage(MemoryDrawStore()) }

    /// Nowhere: each call draws anew.
    static var none: DrawStorage { DrawStorage(NoDrawStore()) }

    /// In user defaults, under the keys of the vendor's library.
    public static func userDefaults(_ defaults: UserDefaults) -> DrawStorage {
        DrawStorage(UserDefaultsDrawStore(defaults))
    }
}
