package import Foundation
import TurnoutClient
package import TurnoutRollouts

/// Stores draws in user defaults, as the vendor's library does.
// @unchecked Sendable because user defaults may be used from any thread.
package struct UserDefaultsDrawStore: DrawStore, @unchecked Sendable {
    private struct Keys {
        let result: String
        let number: String
        /// An integer up to 100, written by the library's first versions.
        let oldNumber: String

        init(_ experiment: String) {
            result = experiment + "_ExperimentResult"
            number = experiment + "_ExperimentRandomNumber"
            oldNumber = experiment + "_ExperimentNumberKey"
        }
    }

    private let defaults: UserDefaults

    /// Creates a store on the given user defaults.
    package init(_ defaults: UserDefaults) { self.defaults = defaults }

    package func draw(of experiment: String) -> RolloutDraw? { Self.lock.withLock { _ in read(experiment) } }

    private func read(_ experiment: String) -> RolloutDraw? {
        let keys = Keys(experiment)
        let variant = defaults.string(forKey: keys.result).map { result in
            // Bytewise, because a combining mark at the beginning of a variant's name forms one character with the
            // underscore.
            let prefix = (experiment + "_").utf8
            return result.utf8.starts(with: prefix) ? String(result.utf8.dropFirst(prefix.count)) ?? result : result
        }
        let number = number(keys.number)
        if variant == nil, number == nil {
            return self.number(keys.oldNumber).map { RolloutDraw(variant: nil, number: $0 / 100) }
        }
        return RolloutDraw(variant: variant, number: number)
    }

    package func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) {
        Self.lock.withLock { _ in
            let keys = Keys(experiment)
            let known = read(experiment)
            let draw = change(known)
            guard draw != known else { return }
            set(draw?.variant.map { "\(experiment)_\($0)" }, keys.result)
            set(draw?.number, keys.number)
            set(nil, keys.oldNumber)
            #if !canImport(Darwin)
                // Darwin does this by itself, shortly afterwards.
                defaults.synchronize()
            #endif
        }
    }

    private func number(_ key: String) -> Double? {
        defaults.object(forKey: key) == nil ? nil : defaults.double(forKey: key)
    }

    private func set(_ value: Any?, _ key: String) {
        if let value { defaults.set(value, forKey: key) } else { defaults.removeObject(forKey: key) }
    }
}

extension UserDefaultsDrawStore {
    /// Serializes changes: user defaults have no transactions, and several stores may use the same ones.
    static let lock = Locked(())
}
