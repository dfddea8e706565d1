#if SQLite
    import Foundation
    package import TurnoutClient
    import TurnoutSQLite

    extension SQLiteStorage: Storage {
        /// The storage of this program, and of its other processes with the same user of the system.
        static func ofThisProgram() -> SQLiteStorage {
            var options = SQLiteOptions()
            // Dispatchers say themselves how many events may wait.
            options.maximumEvents = 1_000_000
            return open(directory: StoreDirectory.ofThisProgram.path, options, log: FactoryLog())
        }

        package func events(named name: String, limit: Int) -> any EventStore {
            BoundedEventStore(events(named: name), limit: limit)
        }

        package func profiles() -> any KeptProfiles {
            DurableProfiles(store: profiles, isDurable: isDurable)
        }

        package func vuid() -> any VuidStore { DurableVuid(settings: settings) }
    }

    /// Writes to the first logger of a client that lives: the storage serves all clients of the program.
    private struct FactoryLog: Log {
        private var log: ClientLog { ClientLog(OPTLoggerFactory.getLogger()) }
        func isEnabled(_ level: LogLevel) -> Bool { log.isEnabled(level) }
        func write(_ level: LogLevel, _ message: String) { log.write(level, message) }
    }

    /// Remembers users in a file.
    private struct DurableProfiles: KeptProfiles {
        let store: SQLiteProfileStore
        let isDurable: Bool

        func profile(of user: String) -> OPTUserProfileService.UPProfile? {
            let assignments = assignments(of: user)
            return assignments.isEmpty ? nil : ProfileDictionary.profile(nil, of: user, adding: assignments)
        }

        func assignments(of user: String) -> [String: String] {
            do { return try store.profile(of: user).assignments } catch {
                report(error)
                return [:]
            }
        }

        func save(_ profile: OPTUserProfileService.UPProfile, of user: String) {
            do { try store.replace(user, ProfileDictionary.assignments(of: profile)) } catch { report(error) }
        }

        func merge(_ assignments: [String: String], for user: String) {
            do { try store.remember(assignments, for: user) } catch { report(error) }
        }

        func remove(_ user: String) {
            do { try store.forget(user) } catch { report(error) }
        }

        func removeAll() {
            do { try store.removeAll() } catch { report(error) }
        }

        func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) {
            do { try store.keepAssignments(in: experiments, ofUsersWithAtLeast: count) } catch { report(error) }
        }

        private func report(_ error: any Error) {
            OPTLoggerFactory.log(.error, "Assignments cannot be read or written: \(error)")
        }
    }

    /// Keeps the id of this device in a file, and takes over the one that the vendor's client left in the settings.
    private struct DurableVuid: VuidStore {
        private static let name = "optimizely-vuid"
        let settings: SQLiteSettings

        func load() -> String? { (try? settings.get(Self.name)) ?? UserDefaultsVuidStore().load() }

        func save(_ vuid: String) {
            do { try settings.set(Self.name, to: vuid) } catch {
                OPTLoggerFactory.log(.error, "The id of this device cannot be stored: \(error)")
            }
        }
    }
#endif
