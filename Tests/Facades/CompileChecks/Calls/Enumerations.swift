import Foundation
import Optimizely

func enumerations() {
    let options: [OptimizelyDecideOption] = [
        .disableDecisionEvent, .enabledFlagsOnly, .ignoreUserProfileService, .includeReasons, .excludeVariables,
        .ignoreCmabCache, .resetCmabCache, .invalidateUserCmabCache,
    ]
    let segmentOptions: [OptimizelySegmentOption] = [.ignoreCache, .resetCache]
    let levels: [OptimizelyLogLevel] = [.off, .error, .warning, .info, .debug, .verbose]
    let types: [NotificationType] = [.activate, .track, .datafileChange, .decision, .logEvent]
    let regions: [Region] = [.US, .EU]
    let stores: [DataStoreType] = [.file, .memory, .userDefaults]
    let backing: [DataStoreMemory<[Data]>.BackingStore] = [.userDefaults, .file]
    print(options.map(\.rawValue), segmentOptions.map(\.rawValue), types.map(\.rawValue), regions.map(\.rawValue))
    print(
        levels.map(\.rawValue), levels.map(\.name), levels.sorted(), OptimizelyLogLevel.off < .error,
        levels.max() ?? .off)
    print(OptimizelyDecideOption(rawValue: 0) as Any, OptimizelySegmentOption(rawValue: 0) as Any)
    print(OptimizelyLogLevel(rawValue: 0) as Any, NotificationType(rawValue: 1) as Any, Region(rawValue: "EU") as Any)
    print(stores.count, backing.count, (try? JSONEncoder().encode(Region.US)) as Any)
}

func results(_ result: OptimizelyResult<Data>, _ optional: OptimizelyResult<Data?>) {
    switch result {
    case .success(let data): print(data.count)
    case .failure(let error): print("failed: \(error)")
    @unknown default: print("something else")
    }
    switch optional {
    case .success: print("there is one, perhaps")
    case .failure(let error): print(error.localizedDescription)
    }
    if case .success(let data?) = optional { print(data.count) }
    if case .failure(OptimizelyError.datafileDownloadFailed(let hint)) = result { print(hint) }
    print(OptimizelyResult<Int>.success(1), OptimizelyResult<Int>.failure(.generic))
}

func levels(_ level: OptimizelyLogLevel) -> Int {
    switch level {
    case .off, .error: 1
    case .warning: 2
    case .info, .debug, .verbose: 3
    @unknown default: 4
    }
}
