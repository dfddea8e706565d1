/// Why bytes are no property list that can be used, with the place.
package struct PropertyListError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and where, as the end of a sentence.
    package let description: String

    init(_ description: String) { self.description = description }
}
