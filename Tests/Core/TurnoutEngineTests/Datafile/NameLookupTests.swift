/// Names are looked up by fingerprints; these names are similar.
@Suite struct NameLookupTests {
    /// All words of up to ten letters from an alphabet of two.
    private static let words: [String] = (0...10).reduce(into: []) { words, length in
        for number in 0..<(1 << length) {
            words.append(String((0..<length).map { number >> $0 & 1 == 0 ? "a" : "b" }))
        }
    }

    @Test func everyNameFindsItsOwnFlag() throws {
        let project = try Self.project(Self.words)
        for word in Self.words { #expect(project.flag(word)?.id == "id of \(word)", "\(word)") }
        #expect(project.flags.map(\.key) == Self.words)
    }

    @Test func namesThatAreMissingAreNotFound() throws {
        let present = Self.words.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        let project = try Self.project(present)
        let names = Set(present)
        for word in Self.words { #expect((project.flag(word) != nil) == names.contains(word), "\(word)") }
        for word in ["c", "aac", "caa", "aa\0", "\0", "a\0", "aaaaaaaaaaaaaaaaa", "aé"] {
            #expect(project.flag(word) == nil, "\(word)")
        }
    }

    /// Lengths around eight and sixteen bytes, where the fingerprint algorithm changes.
    @Test func namesThatDifferInOneByteAreDistinct() throws {
        var names: [String] = []
        for length in 1...40 {
            let base = [Character](repeating: "x", count: length)
            names.append(String(base))
            for place in 0..<length {
                var other = base
                other[place] = "y"
                names.append(String(other))
            }
        }
        let project = try Self.project(names)
        for name in names { #expect(project.flag(name)?.id == "id of \(name)", "\(name)") }
    }

    @Test func namesBeyondASCIIAreDistinct() throws {
        let letters = ["é", "è", "e", "日", "本", "🙂", "🙃", "\u{301}", "ﬁ", "fi", "ß", "ss", "İ", "i"]
        let names = Array(Set(letters.flatMap { first in letters.map { first + $0 + "-and-some-more-text" } }))
        let project = try Self.project(names)
        for name in names { #expect(project.flag(name)?.id == "id of \(name)", "\(name)") }
    }

    /// The names of JSON members are interned first, and may be names of flags, too.
    @Test func memberNamesMayBeUsedAsKeys() throws {
        let names = ["id", "key", "status", "variations", "match", "version", "type", "", "experiments"]
        let project = try Self.project(names)
        for name in names { #expect(project.flag(name)?.id == "id of \(name)", "\(name)") }
    }

    private static func project(_ keys: [String]) throws -> Project {
        try SmallDatafile(flags: keys.map { SmallDatafile.flag($0) }.joined(separator: ",")).project()
    }
}
