@Suite(.ownThread) struct VuidManagerTests {
    @Test func noIDIsCreatedUnlessEnabled() {
        let store = MemoryVuidStore()
        let manager = VuidManager(store: store)
        #expect(manager.vuid == nil)
        #expect(store.load() == nil)
    }

    @Test func anEnabledIDIsCreatedAndStored() throws {
        let store = MemoryVuidStore()
        let manager = VuidManager(store: store)
        manager.configure(enable: true)
        let vuid = try #require(manager.vuid)
        #expect(vuid.count == 32)
        #expect(vuid.hasPrefix("vuid_"))
        #expect(vuid.dropFirst(5).allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(store.load() == vuid)
    }

    @Test func storedIDIsReused() {
        let manager = VuidManager(store: MemoryVuidStore("vuid_from_before"))
        manager.configure(enable: true)
        #expect(manager.vuid == "vuid_from_before")
    }

    @Test func damagedIDIsReplaced() {
        let manager = VuidManager(store: MemoryVuidStore("no id"))
        manager.configure(enable: true)
        #expect(manager.vuid?.hasPrefix("vuid_") == true)
    }

    @Test func disablingTheIDDeletesNothing() {
        let store = MemoryVuidStore("vuid_from_before")
        let manager = VuidManager(store: store)
        manager.configure(enable: true)
        manager.configure(enable: false)
        #expect(manager.vuid == nil)
        #expect(store.load() == "vuid_from_before")
        manager.configure(enable: true)
        #expect(manager.vuid == "vuid_from_before")
    }

    @Test func allThreadsGetTheSameID() async {
        let manager = VuidManager(store: MemoryVuidStore())
        let ids = await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { manager.vuid(enabled: true) } }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test func settingsStoreTheIDUnderItsOldName() {
        let key = "optimizely-vuid"
        defer {
            UserDefaults.standard.removeObject(forKey: key)
            // Without this, the removal is not written for the next run.
            UserDefaults.standard.synchronize()
        }
        UserDefaultsVuidStore().save("vuid_of_this_test")
        #expect(UserDefaults.standard.string(forKey: key) == "vuid_of_this_test")
        #expect(UserDefaultsVuidStore().load() == "vuid_of_this_test")
    }
}
