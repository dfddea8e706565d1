public import Foundation
import TurnoutClient

/// Which datafile to ask for, and whom.
open class OPTLYDatafileConfig: NSObject {
    private let sdkKey: String?
    private let projectId: String?
    private let host: String

    static let standardHost = "https://cdn.optimizely.com"

    /// Names a datafile of the vendor's server, or is nil: neither key can be used.
    ///
    /// - Parameters:
    ///   - projectId: The id of a project, for the datafile of its primary environment. Does not matter if there is an
    ///     SDK key that can be used.
    ///   - sdkKey: The key of an environment.
    public convenience init?(projectId: String?, withSDKKey sdkKey: String?) {
        self.init(projectId: projectId, withSDKKey: sdkKey, withHost: Self.standardHost)
    }

    /// Names a datafile of a server, as in `https://datafiles.example.com`.
    public init?(projectId: String?, withSDKKey sdkKey: String?, withHost host: String) {
        self.sdkKey = Self.isValidKeyString(sdkKey) ? sdkKey : nil
        self.projectId = Self.isValidKeyString(projectId) ? projectId : nil
        self.host = host
        guard self.sdkKey != nil || self.projectId != nil else { return nil }
    }

    /// Whether a text can be a key: not nil, not empty, and without blanks.
    public static func isValidKeyString(_ key: String?) -> Bool {
        key.map { !$0.isEmpty && !$0.contains(" ") } ?? false
    }

    /// The address of the vendor's datafile of a project.
    public static func defaultProjectIdCdnPath(_ projectId: String) -> String {
        "\(standardHost)/json/\(projectId).json"
    }

    /// The address of the vendor's datafile of an SDK key.
    public static func defaultSdkKeyCdnPath(_ sdkKey: String) -> String { "\(standardHost)/datafiles/\(sdkKey).json" }

    /// The address of the datafile. A host that is no address leads nowhere.
    public func urlForKey() -> URL { URL(string: address) ?? URL(filePath: "/dev/null") }

    /// What the datafile is kept by: the SDK key, or else the project's id.
    public func key() -> String { sdkKey ?? projectId ?? "" }

    var address: String { "\(host)/\(isOfProject ? "json" : "datafiles")/\(key()).json" }
    var isOfProject: Bool { sdkKey == nil }

    /// A cache in which each host's copy of a key has a name of its own; the vendor's has the key's.
    func cache(over cache: any DatafileCache) -> any DatafileCache {
        host == Self.standardHost ? cache : HostCache(cache: cache, host: host)
    }

    /// Whether both name the same keys.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? OPTLYDatafileConfig else { return false }
        return sdkKey == other.sdkKey && projectId == other.projectId
    }

    /// The same for equal ones.
    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(sdkKey)
        hasher.combine(projectId)
        return hasher.finalize()
    }
}

private struct HostCache: DatafileCache {
    let cache: any DatafileCache
    let host: String

    func copy(for key: String) throws -> DatafileCopy? { try cache.copy(for: name(key)) }
    func keep(_ copy: DatafileCopy, for key: String) throws { try cache.keep(copy, for: name(key)) }
    func forget(_ key: String) throws { try cache.forget(name(key)) }

    private func name(_ key: String) -> String { "\(key) \(host)" }
}
