/// An error whose words contain nothing personal and no secret, so that they may be logged at any level.
package protocol PrintableError: Error, CustomStringConvertible {}

extension TransportError: PrintableError {}
extension StartError: PrintableError {}
extension DatafileSourceError: PrintableError {}
extension PredictionError: PrintableError {}
