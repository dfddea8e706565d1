/// Options of OpenFeature's remote evaluation protocol.
package struct OFREPOptions: Sendable, Equatable {
    /// Whether evaluations send impressions, as decisions do. A request with the header `X-Turnout-Impressions: off`
    /// sends none. Default: true.
    package var sendsImpressions = true

    /// Creates the standard options.
    package init() {}
}
