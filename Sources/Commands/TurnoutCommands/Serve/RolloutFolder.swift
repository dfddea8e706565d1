#if Server
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutRollouts
    import TurnoutServer

    /// A folder of configurations for RolloutManager: `NAME.plist`, and `NAME/VERSION.plist` for programs of a version.
    /// Files with JSON have the same names.
    final class RolloutFolder: Sendable {
        private struct State {
            var fingerprint: [FileFingerprint] = []
            var keys: Set<RolloutKey> = []
        }

        private let folder: String
        private let log: any Log
        private let state = Locked(State())

        init(_ folder: String, log: any Log) {
            self.folder = folder
            self.log = log
        }

        /// Reads the files if one has changed since the last call.
        func check(into directory: RolloutDirectory) {
            let keys = keys
            let now = keys.map(path).sorted().map(FileFingerprint.init(of:))
            let isSame = state.withLock { state in
                defer { state.fingerprint = now }
                return state.fingerprint == now && state.keys == keys
            }
            if !isSame { publish(keys, to: directory) }
        }

        /// Reads the files, whether one has changed or not.
        func reload(into directory: RolloutDirectory) { publish(keys, to: directory) }

        /// A file that cannot be used is logged, and the configuration read before stays in use.
        private func publish(_ keys: Set<RolloutKey>, to directory: RolloutDirectory) {
            for key in keys {
                do {
                    try directory.publish(InputFile(path(key)).readAll(), for: key, from: path(key))
                } catch {
                    let problem = (error as? CommandError)?.message ?? "\(path(key)): \(error)"
                    log(.error, "\(problem); the configuration served before stays in use")
                }
            }
            let gone = state.withLock { state in
                defer { state.keys = keys }
                return state.keys.subtracting(keys)
            }
            for key in gone { directory.remove(key) }
        }

        /// The folder, and those of versions.
        var folders: [String] {
            let names = (try? Folder.names(in: folder)) ?? []
            return [folder] + names.filter { !$0.hasSuffix(".plist") }.map { folder + "/" + $0 }
        }

        private func path(_ key: RolloutKey) -> String { folder + "/" + key.path + ".plist" }

        private var keys: Set<RolloutKey> {
            guard let names = try? Folder.names(in: folder) else { return [] }
            return Set(
                names.flatMap { name -> [RolloutKey] in
                    if let stem = Self.stem(of: name) { return [RolloutKey(name: stem)] }
                    guard RolloutKey.isValid(name), let versions = try? Folder.names(in: folder + "/" + name)
                    else { return [] }
                    return versions.compactMap(Self.stem).map { RolloutKey(name: name, version: $0) }
                }.filter { InputFile.isRegular(path($0)) })
        }

        private static func stem(of name: String) -> String? {
            let stem = String(name.dropLast(6))
            return name.hasSuffix(".plist") && RolloutKey.isValid(stem) ? stem : nil
        }
    }
#endif
