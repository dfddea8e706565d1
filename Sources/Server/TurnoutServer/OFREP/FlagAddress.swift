import TurnoutEngine

/// The value that a key of the protocol stands for. A flag of Turnout is on or off and has variables; a flag of the
/// protocol has one value:
///
/// | key | value |
/// | --- | --- |
/// | `checkout` | whether the flag is on |
/// | `checkout.layout` or `checkout/layout` | the variable `layout`, with its type |
/// | `checkout.*` or `checkout/*` | an object of all variables |
///
/// A flag whose key contains a point or slash itself takes precedence over a variable of a flag with a shorter key.
struct FlagAddress: Sendable {
    /// The value of a flag.
    enum Value: Sendable {
        case enabled
        case variable(String)
        case allVariables
    }

    /// The key of the flag in the datafile.
    let flagKey: String
    let value: Value

    init(_ flagKey: String, _ value: Value) { (self.flagKey, self.value) = (flagKey, value) }

    /// Finds the flag and its variable; nil if there is no such flag or variable.
    ///
    /// - Complexity: O(*n*) in the length of the key times the number of its points and slashes.
    init?(_ key: String, in project: Project) {
        if project.hasFlag(key) {
            self.init(key, .enabled)
            return
        }
        for place in key.utf8.indices.reversed() where key.utf8[place].isSeparator {
            guard let flag = project.flag(String(key[..<place])) else { continue }
            let name = String(key[key.utf8.index(after: place)...])
            if flag.variables.contains(where: { $0.key == name }) {
                self.init(flag.key, .variable(name))
                return
            }
            if name == "*" {
                self.init(flag.key, .allVariables)
                return
            }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isSeparator: Bool { self == UInt8(ascii: ".") || self == UInt8(ascii: "/") }
}
