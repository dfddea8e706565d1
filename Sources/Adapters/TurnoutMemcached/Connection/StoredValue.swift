#if Memcached
    /// A value, and the number that changes with each of its changes.
    struct StoredValue {
        let text: [UInt8]
        let version: UInt64
    }
#endif
