/// A value and its version, which changes with each write.
package struct StoredValue: Equatable {
    package let text: [UInt8]
    package let version: UInt64

    package init(text: [UInt8], version: UInt64) {
        self.text = text
        self.version = version
    }
}
