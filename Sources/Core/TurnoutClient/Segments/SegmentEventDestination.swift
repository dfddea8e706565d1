/// The destination of segment events.
package enum SegmentEventDestination: Sendable, Equatable {
    /// There is no datafile yet. Events are queued.
    case unknown
    /// The datafile has no platform. Events are dropped.
    case nowhere
    /// The service in the datafile.
    case service(OdpService)

    /// The destination for a datafile; nil if there is no datafile.
    package init(of project: Project?) {
        guard let project else {
            self = .unknown
            return
        }
        self = OdpService(of: project).map { .service($0) } ?? .nowhere
    }
}
