import Foundation
import TurnoutRollouts

/// Property lists written by Foundation are parsed without it; damaged ones are refused.
@Suite struct PropertyListTests {
    private static var list: [String: Any] {
        [
            "exp": [
                "Settings": ["is_sticky": true, "supported_countries": "US,IL"] as [String: Any],
                "Variants": [
                    "a & <b>": 1, "c": 300, "d": 70_000, "e": 5_000_000_000, "f": -1, "g": 0.5, "é🙂": "25", "h": false,
                ] as [String: Any],
            ] as [String: Any],
            "long": ["Variants": Dictionary(uniqueKeysWithValues: (0..<300).map { ("variant number \($0)", $0) })],
        ]
    }

    private static func data(
        _ format: PropertyListSerialization.PropertyListFormat, of list: [String: Any] = list
    ) throws -> [UInt8] {
        Array(try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
    }

    @Test func xmlAndBinaryFormsAreEquivalent() throws {
        let xml = try RolloutConfiguration(contents: Self.data(.xml))
        let binary = try RolloutConfiguration(contents: Self.data(.binary))
        #expect(xml == binary)
        #expect(xml.warnings.map(\.key) == ["Variants.f"])
        guard case .usable(let experiment)? = xml.entries["exp"], case .usable(let long)? = xml.entries["long"] else {
            Issue.record("\(xml)")
            return
        }
        #expect(experiment.isSticky && experiment.countries == ["us", "il"])
        let total = 1 + 300 + 70_000 + 5_000_000_000 + 0.5 + 25
        #expect(experiment.variants.shares["a & <b>"] == 1 / total && experiment.variants.shares["é🙂"] == 25 / total)
        #expect(experiment.variants.names.count == 8 && long.variants.names.count == 300)
    }

    @Test func xmlMayBeWrittenByHand() throws {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- ours --><plist version='1.0'><dict>
              <key>e<![CDATA[x]]>p</key> <!-- why -->
              <dict><key>Variants</key><dict>
                <key>a</key><integer> +7
                </integer> <key>&#98;</key><real>3</real> <key>&#x63;</key><integer>0x0</integer>
              </dict><key>Settings</key><dict/></dict>
            </dict></plist>
            """
        let configuration = try RolloutConfiguration(contents: Array(text.utf8))
        guard case .usable(let experiment)? = configuration.entries["exp"] else {
            Issue.record("\(configuration)")
            return
        }
        #expect(experiment.variants.shares == ["a": 0.7, "b": 0.3, "c": 0])
    }

    @Test(arguments: [
        "<plist>", "<plist/>", "<plist><dict></plist>", "<plist><dict><key>a</key></dict></plist>",
        "<plist><dict><string>a</string></dict></plist>", "<plist><dict/></plist", "<plist><blob/></plist>",
        "<plist><dict><key>a</key><integer>x</integer></dict></plist>",
        "<plist><dict><key>a</key><integer>-0x-8000000000000000</integer></dict></plist>",
        "<plist><dict><key>&no;</key><true/></dict></plist>",
        #"<!DOCTYPE plist [<!ENTITY a "b">]><plist><dict/></plist>"#, "<plist><dict/><dict/></plist>", "<!--",
    ])
    func damagedXMLIsRefused(text: String) {
        #expect(throws: RolloutConfigurationError.self) { try RolloutConfiguration(contents: Array(text.utf8)) }
    }

    @Test func errorsNameTheLine() {
        let text = "<plist>\n<dict>\n<key>a</key>\n<integer>x</integer></dict></plist>"
        let error = #expect(throws: RolloutConfigurationError.self) {
            try RolloutConfiguration(contents: Array(text.utf8))
        }
        #expect(error?.description == #""x" is not a number (line 4)"#)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func damageAnywhereNeverTraps(format: PropertyListSerialization.PropertyListFormat) throws {
        let small: [String: Any] = ["exp": ["Variants": ["a": 1, "é": 0.5, "c": true] as [String: Any]]]
        let sound = try Self.data(format, of: small)
        var random = SystemRandomNumberGenerator()
        for place in sound.indices {
            _ = try? RolloutConfiguration(contents: Array(sound[..<place]))
            var damaged = sound
            damaged[place] = .random(in: 0...255, using: &random)
            _ = try? RolloutConfiguration(contents: damaged)
            damaged[place] = 0xFF
            _ = try? RolloutConfiguration(contents: damaged)
        }
    }

    @Test func listsThatContainThemselvesAreRefused() {
        // An array of two references to itself, and nested arrays whose size doubles at each level.
        let itself = Self.binary([[0xA2, 0, 0]])
        #expect(throws: RolloutConfigurationError.self) { try RolloutConfiguration(contents: itself) }
        let levels = (1...40).map { [0xA4, $0, $0, $0, $0] as [UInt8] } + [[0x09]]
        #expect(throws: RolloutConfigurationError.self) { try RolloutConfiguration(contents: Self.binary(levels)) }
        let deep = String(repeating: "<array>", count: 100_000)
        #expect(throws: RolloutConfigurationError.self) {
            try RolloutConfiguration(contents: Array("<plist>\(deep)".utf8))
        }
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], [true, false])
    func textsInUTF16AreRead(encoding: String.Encoding, hasMark: Bool) throws {
        let xml =
            #"<?xml version="1.0" encoding="UTF-16"?><plist><dict><key>é🙂</key><dict><key>Variants</key>"#
            + "<dict><key>a</key><integer>1</integer></dict></dict></dict></plist>"
        for text in [xml, #"{"é🙂": {"Variants": {"a": 1}}}"#] {
            let contents = Array(try #require(((hasMark ? "\u{FEFF}" : "") + text).data(using: encoding)))
            let configuration = try RolloutConfiguration(contents: contents)
            #expect(configuration.entries.keys.first == "é🙂" && configuration.warnings.isEmpty)
            let error = #expect(throws: RolloutConfigurationError.self) {
                try RolloutConfiguration(contents: contents.dropLast())
            }
            #expect(error?.description.contains("UTF-16") == true)
        }
    }

    /// An array of 60,000 references to an array of 60,000: 360 KB that would expand to 86 GB.
    @Test(.thorough) func sharedPartsCountOncePerUse() {
        #if os(Linux)
            /// The peak memory of the process, in KB.
            func peak() -> Int {
                let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
                let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
                return Int(line.filter(\.isNumber)) ?? 0
            }
            let before = peak()
        #endif
        func array(_ reference: Int) -> [UInt8] {
            let count = 60_000
            let length = [0xAF, 0x11, UInt8(count >> 8), UInt8(count & 0xFF)] as [UInt8]
            return length + Array(repeating: UInt8(reference), count: count)
        }
        let text = [0x5F, 0x10, 16] + Array("sixteen letters.".utf8)
        for objects in [[array(1), array(2), [0x09]], [array(1), array(2), text]] {
            let error = #expect(throws: RolloutConfigurationError.self) {
                try RolloutConfiguration(contents: Self.binary(objects))
            }
            #expect(error?.description.contains("MiB of memory") == true)
        }
        #if os(Linux)
            #expect(peak() - before < 150_000)
        #endif
    }

    /// Names and weights shared by all experiments take two bytes in the file per use.
    @Test func ordinarySharingIsAccepted() throws {
        let count = rounds(200, thorough: 2_000)
        let names = (0..<20).map { "a variant with a long name \($0)" }
        let variants = Dictionary(uniqueKeysWithValues: names.map { ($0, 5) })
        let experiments = (0..<count).map { ("experiment \($0)", ["Variants": variants]) }
        let list = Dictionary(uniqueKeysWithValues: experiments)
        let configuration = try RolloutConfiguration(contents: Self.data(.binary, of: list))
        #expect(configuration.entries.count == count && configuration.warnings.isEmpty)
    }

    /// A binary property list of these objects, of which the first is the root.
    private static func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 16), UInt8(bytes.count >> 8 & 0xFF), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = bytes.count
        func number(_ value: Int) -> [UInt8] { (0..<8).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) } }
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 3, 1] + number(objects.count) + number(0) + number(table)
    }
}
