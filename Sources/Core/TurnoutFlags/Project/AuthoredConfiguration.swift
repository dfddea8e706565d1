/// A configuration for RolloutManager, which `turnout serve` delivers as a property list. Datafiles do not contain it.
package struct AuthoredConfiguration: Sendable, Equatable {
    /// The experiments of a configuration, for programs of one version.
    package struct Version: Sendable, Equatable {
        package var key: String
        /// All experiments of these programs.
        package var experiments: [Experiment]

        package init(key: String, experiments: [Experiment]) { (self.key, self.experiments) = (key, experiments) }
    }

    package struct Experiment: Sendable, Equatable {
        package var key: String
        /// Whether users keep their variants when the weights change. Default: false.
        package var isSticky = false
        /// The codes of the countries whose users take part. Default: empty, all countries.
        package var countries: [String] = []
        /// The codes of the languages whose users take part. Default: empty, all languages.
        package var languages: [String] = []
        /// The variants, and their weights in hundredths.
        package var variants: [(key: String, weight: Int)]

        /// Creates an experiment for all users.
        package init(key: String, variants: [(key: String, weight: Int)]) {
            (self.key, self.variants) = (key, variants)
        }

        package static func == (left: Experiment, right: Experiment) -> Bool {
            left.key == right.key && left.isSticky == right.isSticky && left.countries == right.countries
                && left.languages == right.languages && left.variants.elementsEqual(right.variants, by: ==)
        }
    }

    package var key: String
    /// The experiments of programs whose version is not named.
    package var experiments: [Experiment]
    /// The experiments of programs of a version, instead of the others. Default: none.
    package var versions: [Version] = []

    /// Creates a configuration for programs of any version.
    package init(key: String, experiments: [Experiment]) { (self.key, self.experiments) = (key, experiments) }

    /// Whether a text can be a name or a version, which are parts of addresses and names of files: 1 to 100 letters and
    /// digits of ASCII, `.`, `_` and `-`, of which `.` is not the first.
    package static func isValid(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}
