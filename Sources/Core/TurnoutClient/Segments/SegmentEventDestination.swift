/// Where segment events go.
package enum SegmentEventDestination: Sendable, Equatable {
    /// There is no datafile yet that could tell. Events wait.
    case unknown
    /// The datafile names nobody who wants them. Events are dropped.
    case nowhere
    /// The service that the datafile names.
    case service(OdpService)

    /// The destination that a datafile names; nil: there is no datafile.
    package init(of project: Project?) {
        guard let project else {
            self = .unknown
            return
        }
        self = OdpService(of: project).map { .service($0) } ?? .nowhere
    }
}
