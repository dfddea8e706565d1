extension WriteLoad {
    /// Starts threads that write to a store.
    convenience init(_ options: RedisOptions, writers: Int) throws {
        self.init(try RedisProfileStore(options), writers: writers)
    }

    /// Expects that all acknowledged writes are stored.
    func check(_ store: RedisProfileStore) throws {
        #expect(try lost(from: store) == [])
        #expect(surprises.all == [])
    }
}
