public import Foundation

/// A device's draw in an experiment, in the form of the vendor's library. This module neither takes nor returns one;
/// the class exists for programs that use it themselves.
open class ADRolloutManagerDrawInstance: NSObject {
    /// The experiment's name, `_`, and the variant's name.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var chosenVariant: String!
    /// The random number, above 0 and at most 1.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var randomNumber: NSNumber!

    /// Creates a draw without values.
    public override init() { super.init() }
}
