#if SQLite
    import Foundation
    package import TurnoutClient
    import TurnoutSQLite

    extension SQLiteStorage: ServiceStorage {
        /// The storage of this program, shared by its processes under one user account.
        static func ofThisProgram() -> SQLiteStorage {
            open(directory: StoreDirectory.ofThisProgram.path, log: FactoryLog())
        }

        package func events(named name: String, limit: Int) -> any EventStore {
            events(named: name, atMost: limit)
        }

        package func profiles() -> any EditableProfileStore { profiles }

        package func vuid() -> any VuidStore { DurableVuid(settings: settings) }
    }

    /// Stores the device's id in a file, and falls back to the one that the vendor's client stored in user defaults.
    private struct DurableVuid: VuidStore {
        private static let name = "optimizely-vuid"
        let settings: SQLiteSettings

        func load() -> String? { (try? settings.get(Self.name)) ?? UserDefaultsVuidStore().load() }

        func save(_ vuid: String) {
            do { try settings.set(Self.name, to: vuid) } catch {
                OPTLoggerFactory.log(
                    .error, "the id of this device is not stored, so the next start makes another one: \(error)")
            }
        }
    }
#endif
