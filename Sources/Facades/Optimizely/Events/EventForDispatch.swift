public import Foundation
package import TurnoutClient

/// One request to the receiver of events: where it goes and what it says.
///
/// As JSON it has the members `url` and `body`, the latter in base 64.
public final class EventForDispatch: NSObject, Codable, Sendable {
    /// Where events of projects in the United States go. It counts for the whole process, from the next event on.
    public static var eventEndpoint: String {
        get { endpoints.withLock { $0.us } }
        set { endpoints.withLock { $0.us = newValue } }
    }

    /// Where events of projects in the European Union go. It counts for the whole process, from the next event on.
    public static var euEventEndpoint: String {
        get { endpoints.withLock { $0.eu } }
        set { endpoints.withLock { $0.eu = newValue } }
    }

    private struct Endpoints {
        var us = "https://logx.optimizely.com/v1/events"
        var eu = "https://eu.logx.optimizely.com/v1/events"
    }

    private static let endpoints = Locked(Endpoints())

    /// Where the request goes.
    public let url: URL
    /// What it says: JSON.
    public let body: Data

    /// The event that this is the request of, if a client made it; such requests can be joined without reading them.
    package let outgoing: OutgoingEvent?

    private enum CodingKeys: String, CodingKey { case url, body }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: Where it goes. Default: nil, the endpoint of the region.
    ///   - body: What it says.
    ///   - region: Where the project's events are collected; does not matter with a `url`. Default: the United States.
    public init(url: URL? = nil, body: Data, region: Region = .US) {
        self.url = url ?? Self.url(for: region)
        self.body = body
        outgoing = nil
    }

    /// The request for a client's event, to an address of one's own or the endpoint of its region.
    package init(_ outgoing: OutgoingEvent, url: URL? = nil) {
        self.url = url ?? Self.url(for: outgoing.group.region == .eu ? .EU : .US)
        body = Data(outgoing.payload)
        self.outgoing = outgoing
    }

    /// Reads a request.
    ///
    /// - Throws: A `DecodingError`.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        body = try container.decode(Data.self, forKey: .body)
        outgoing = nil
    }

    /// The endpoint of a region. An endpoint that is no URL, which an application may have set, goes nowhere.
    private static func url(for region: Region) -> URL {
        URL(string: region == .EU ? euEventEndpoint : eventEndpoint) ?? URL(filePath: "/dev/null")
    }

    /// Whether both go to the same place and say the same.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? EventForDispatch else { return false }
        return url == other.url && body == other.body
    }

    /// The same for equal requests.
    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(body)
        return hasher.finalize()
    }

    /// Both as text: `[url] https://example.com/ ({})`.
    override public var description: String {
        "[url] \(url) (\(String(data: body, encoding: .utf8) ?? "UNKNOWN"))"
    }
}
