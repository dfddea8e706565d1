#if os(Linux) && !THREAD_SANITIZER
    /// A child process created by `fork` has copies of its parent's buffers.
    @Suite struct SQLiteForkTests {
        let directories = Directories()

        @Test func aForkedChildWritesNothingOfItsParentAndLogsIt() async throws {
            let directory = directories.next()
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                var options = SQLiteOptions()
                options.durability = .soon(within: .seconds(3_600))
                let log = MemoryLog()
                let storage = try SQLiteStorage(directory: directory, options, log: log)
                for number in 0..<5 { try storage.events.append(event(number)) }
                try storage.profiles.save(["1": "2"], for: "ada")
                let child = try #require(forked())
                if child == 0 { _exit(problems(storage, log, directory)) }
                waitForSuccess(of: child)
                try storage.events.append(event(5))
                try storage.synchronize()
            }
            let storage = try SQLiteStorage(directory: directory)
            #expect(numbers(try storage.events.oldest(100)) == Array(0...5))
            #expect(try storage.profiles.profile(of: "ada").assignments == ["1": "2"])
            #expect(asides(in: directory).isEmpty)
        }

        @Test func aForkedChildKeepsNoLockOfItsParent() async throws {
            let directory = directories.next()
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
                #expect(storage.events.beginDelivery())
                let child = try #require(forked())
                if child == 0 { while true { pause() } }
                defer { kill(child, SIGKILL) }
                storage.events.endDelivery()
                #expect(storage.events.beginDelivery(), "the child must not deliver the parent's events")
            }
        }

        @Test func aForkedChildReleasesNoLockOfItsParent() async throws {
            let directory = directories.next()
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                var storage: SQLiteStorage? = try SQLiteStorage(directory: directory, .durable, log: .silent)
                #expect(storage?.events.beginDelivery() == true)
                #expect(storage?.events(named: "other").beginDelivery() == true)
                let child = try #require(forked())
                if child == 0 {
                    storage?.events.endDelivery()
                    storage = nil
                    _exit(0)
                }
                waitForSuccess(of: child)
                let other = try SQLiteStorage(directory: directory, .durable, log: .silent)
                #expect(!other.events.beginDelivery())
                #expect(!other.events(named: "other").beginDelivery())
                withExtendedLifetime(storage) {}
            }
        }
    }

    /// The failed checks in a child, as bits.
    private func problems(_ storage: SQLiteStorage, _ log: MemoryLog, _ directory: String) -> Int32 {
        var problems: Int32 = storage.events.count == 0 ? 0 : 1
        if (try? storage.events.append(event(7))) == nil { problems |= 2 }
        if (try? storage.synchronize()) != nil { problems |= 4 }
        if (try? storage.events.oldest(10)).map(numbers) != [7] { problems |= 8 }
        if !log.entries.contains(where: { $0.message.contains("forked") }) { problems |= 16 }
        if SQLiteStorage.open(directory: directory, log: .silent).isDurable { problems |= 32 }
        return problems
    }
#endif
