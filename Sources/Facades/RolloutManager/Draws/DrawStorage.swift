/// The storage for this device's draws.
public struct DrawStorage: Sendable {
    package let store: any DrawStore
    /// The draws that could not be stored; without them the variant would change from call to call.
    let unkept = MemoryDrawStore()

    /// Creates a storage on a store.
    package init(_ store: any DrawStore) { self.store = store }

    /// Keeps draws in memory.
    public static var memory: DrawStorage { DrawStorage(MemoryDrawStore()) }

    /// Stores nothing: each call draws anew.
    static var none: DrawStorage { DrawStorage(NoDrawStore()) }
}
