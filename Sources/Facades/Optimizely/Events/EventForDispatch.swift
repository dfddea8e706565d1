public import Foundation
package import TurnoutClient

/// A request to the event receiver: URL and body.
///
/// Encoded as JSON it has the members `url` and `body`, the latter in Base64.
public final class EventForDispatch: NSObject, Codable, Sendable {
    /// The endpoint for events of projects in the United States. Applies to the whole process, from the next event on.
    public static var eventEndpoint: String {
        get { endpoints.withLock { $0.us } }
        set { endpoints.withLock { $0.us = newValue } }
    }

    /// The endpoint for events of projects in the European Union. Applies to the whole process, from the next event on.
    public static var euEventEndpoint: String {
        get { endpoints.withLock { $0.eu } }
        set { endpoints.withLock { $0.eu = newValue } }
    }

    /// The endpoints of the regions.
    struct Endpoints {
        var us = "https://logx.optimizely.com/v1/events"
        var eu = "https://eu.logx.optimizely.com/v1/events"
    }

    /// The URL of the request.
    public let url: URL
    /// The JSON body of the request.
    public var body: Data { Data(bytes) }
    /// The body as it is queued and sent.
    let bytes: [UInt8]

    /// The event in this request, if a client created it; such requests can be joined without parsing them.
    package let outgoing: OutgoingEvent?
    /// The SDK key of the client that created it; nil if unknown.
    let sdkKey: String?

    private enum CodingKeys: String, CodingKey { case url, body }

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The URL of the request. Default: nil, the endpoint for the region.
    ///   - body: The JSON body.
    ///   - region: The region of the project; ignored if `url` is set. Default: the United States.
    public init(url: URL? = nil, body: Data, region: Region = .US) {
        self.url = url ?? Self.url(for: region)
        bytes = [UInt8](body)
        outgoing = nil
        sdkKey = nil
    }

    /// Creates a request for a client's events.
    init(url: URL?, bytes: [UInt8], region: Region, sdkKey: String?) {
        self.url = url ?? Self.url(for: region)
        self.bytes = bytes
        outgoing = nil
        self.sdkKey = sdkKey
    }

    /// Creates a request for a client's event, to the given URL or the endpoint for the event's region.
    package init(_ outgoing: OutgoingEvent, url: URL? = nil) {
        self.url = url ?? Self.url(for: outgoing.group.region == .eu ? .EU : .US)
        bytes = outgoing.payload
        self.outgoing = outgoing
        sdkKey = outgoing.group.key
    }

    /// Decodes a request.
    ///
    /// - Throws: A `DecodingError` if a member is missing or invalid.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        url = try container.decode(URL.self, forKey: .url)
        bytes = [UInt8](try container.decode(Data.self, forKey: .body))
        outgoing = nil
        sdkKey = nil
    }

    /// The endpoint for a region. An application may set an endpoint that is not a URL; its events cannot be delivered.
    private static func url(for region: Region) -> URL {
        URL(string: region == .EU ? euEventEndpoint : eventEndpoint) ?? URL(filePath: "/dev/null")
    }

    /// Encodes the request.
    ///
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(body, forKey: .body)
    }

    /// Whether both have the same URL and body.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? EventForDispatch else { return false }
        return url == other.url && bytes == other.bytes
    }

    /// A hash of the URL and the body.
    override public var hash: Int {
        var hasher = Hasher()
        hasher.combine(url)
        hasher.combine(bytes)
        return hasher.finalize()
    }

    /// The URL and the body: `[url] https://example.com/ ({})`.
    override public var description: String {
        "[url] \(url) (\(String(validating: bytes, as: UTF8.self) ?? "UNKNOWN"))"
    }
}

extension EventForDispatch {
    /// The events in the queue's form. A batch that was encoded elsewhere is split, so that its events can be joined
    /// with others; any other body is sent alone and unchanged.
    var queued: [OutgoingEvent] {
        let address = url.absoluteString
        if let outgoing { return [outgoing.addressed(to: address, of: outgoing.group.key)] }
        if let events = EventBatchParts(bytes)?.events(to: address) { return events }
        let group = OutgoingEvent.Group(region: .us, envelope: "", address: address)
        return [OutgoingEvent(group: group, visitor: bytes)]
    }

    /// Joins events into one request; nil if there are none.
    static func joining(_ events: [OutgoingEvent]) -> EventForDispatch? {
        guard let group = events.first?.group else { return nil }
        return EventForDispatch(
            url: group.address.flatMap(URL.init(string:)), bytes: OutgoingEvent.payload(of: events),
            region: group.region == .eu ? .EU : .US, sdkKey: group.key)
    }
}

extension OutgoingEvent {
    /// A client's event with its SDK key, addressed to the current endpoint for its region.
    func addressed(of sdkKey: String, to addresses: EventAddresses) -> OutgoingEvent {
        addressed(to: addresses[group.region], of: sdkKey)
    }

    fileprivate func addressed(to address: String, of sdkKey: String?) -> OutgoingEvent {
        let group = Group(region: group.region, envelope: group.envelope, address: address, key: sdkKey)
        return OutgoingEvent(group: group, visitor: visitor, timestamp: timestamp)
    }

    /// The event, marked with the SDK key of the client that made it.
    func tagged(by sdkKey: String) -> OutgoingEvent {
        let group = Group(
            region: group.region, envelope: group.envelope, closing: group.closing, address: group.address, key: sdkKey)
        return OutgoingEvent(group: group, visitor: visitor, timestamp: timestamp)
    }
}

extension EventForDispatch {
    /// The vendor's static properties `eventEndpoint` and `euEventEndpoint`.
    static let endpoints = Locked(Endpoints())
}
