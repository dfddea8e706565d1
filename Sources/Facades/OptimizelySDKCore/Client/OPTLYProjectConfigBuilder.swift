import Foundation
import Optimizely
import TurnoutClient

/// A block that configures an ``OPTLYProjectConfigBuilder``.
public typealias OPTLYProjectConfigBuilderBlock = (OPTLYProjectConfigBuilder?) -> Void

/// The datafile of an ``OPTLYProjectConfig``, and the client that it names.
open class OPTLYProjectConfigBuilder: OPTLYClientSettings {
    /// Creates a builder and configures it with a block. Returns nil without a datafile.
    public init?(block: OPTLYProjectConfigBuilderBlock) {
        super.init()
        block(self)
        guard datafile != nil else { return nil }
    }
}

extension OPTLYProjectConfig {
    /// Reads a datafile. Returns nil, and calls the error handler, if it cannot be used.
    public convenience init?(builder: OPTLYProjectConfigBuilder?) {
        guard let builder, let datafile = builder.datafile else { return nil }
        let parts = builder.parts
        do throws(DatafileError) {
            let project = try builder.memo.project(of: datafile)
            self.init(project, clientEngine: parts.clientEngine, clientVersion: parts.clientVersion)
        } catch {
            parts.report(.datafileInvalid, "there is no project config, because the datafile cannot be used: \(error)")
            return nil
        }
    }
}
