package import TurnoutEngine

/// A datafile that the server serves, parsed once, with everything that its responses need.
package struct ServedDatafile: Sendable {
    /// The SDK key that it is served for.
    package let sdkKey: String
    package let content: SharedBody
    /// The datafile, compressed once with gzip; nil if there is no compression.
    package let compressed: SharedBody?
    /// The entity tag, with its quotation marks. It depends on the content alone.
    package let entityTag: String
    /// When it was published, in milliseconds since 1970.
    let publishedAt: Int64
    /// The time of the last change in whole seconds since 1970. Each change makes it later by at least a second,
    /// because some clients compare only this.
    package let lastModified: Int64
    /// ``lastModified`` as a header.
    let lastModifiedDate: String
    package let project: Project
}
