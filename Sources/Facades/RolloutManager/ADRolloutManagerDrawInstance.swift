public import Foundation

/// What a device drew in an experiment, as the vendor's library describes it. Nothing here takes or returns one; it is
/// for programs that keep some themselves.
open class ADRolloutManagerDrawInstance: NSObject {
    /// The experiment's name, `_`, and the variant's name.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var chosenVariant: String!
    /// What chance gave, above 0 and up to 1.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var randomNumber: NSNumber!

    /// Creates an empty one.
    public override init() { super.init() }
}
