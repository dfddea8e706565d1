public import Foundation
import TurnoutClient

/// Identifies a datafile and its server.
open class OPTLYDatafileConfig: NSObject {
    private let sdkKey: String?
    private let projectId: String?
    let host: String

    static let standardHost = HTTPDatafileOptions.standardHost

    /// Identifies a datafile on the vendor's server. Returns nil if neither key is valid.
    ///
    /// - Parameters:
    ///   - projectId: The id of a project, for the datafile of its primary environment. Ignored if there is a valid SDK
    ///     key.
    ///   - sdkKey: The SDK key of an environment.
    public convenience init?(projectId: String?, withSDKKey sdkKey: String?) {
        self.init(projectId: projectId, withSDKKey: sdkKey, withHost: Self.standardHost)
    }

    /// Identifies a datafile on a server, such as `https://datafiles.example.com`. Returns nil if neither key is valid.
    public init?(projectId: String?, withSDKKey sdkKey: String?, withHost host: String) {
        self.sdkKey = Self.isValidKeyString(sdkKey) ? sdkKey : nil
        self.projectId = Self.isValidKeyString(projectId) ? projectId : nil
        self.host = host
        guard self.sdkKey != nil || self.projectId != nil else { return nil }
    }

    /// Whether a string is a valid key: not nil, not empty, and without spaces.
    public static func isValidKeyString(_ key: String?) -> Bool {
        key.map { !$0.isEmpty && !$0.contains(" ") } ?? false
    }

    /// The URL of a project's datafile on the vendor's server.
    public static func defaultProjectIdCdnPath(_ projectId: String) -> String {
        "\(standardHost)/json/\(projectId).json"
    }

    /// The URL of an SDK key's datafile on the vendor's server.
    public static func defaultSdkKeyCdnPath(_ sdkKey: String) -> String { "\(standardHost)/datafiles/\(sdkKey).json" }

    /// The URL of the datafile. If the host is not a URL, the result is a URL from which nothing can be downloaded.
    public func urlForKey() -> URL { URL(string: address) ?? URL(filePath: "/dev/null") }

    /// The cache key of the datafile: the SDK key, or else the project's id.
    public func key() -> String { sdkKey ?? projectId ?? "" }

    var address: String { "\(host)/\(isOfProject ? "json" : "datafiles")/\(key()).json" }
    var isOfProject: Bool { sdkKey == nil }

    /// A cache with separate entries for each host; entries for the vendor's host have the plain key.
    func cache(over cache: any DatafileCache) -> any DatafileCache {
        host == Self.standardHost ? cache : HostCache(cache: cache, host: host)
    }

    /// Whether both have the same keys.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? OPTLYDatafileConfig else { return false }
        return sdkKey == other.sdkKey && projectId == other.projectId
    }

    /// A hash of the keys.
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
