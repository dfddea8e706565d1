package import TurnoutFlags

extension AuthoredConfiguration {
    /// The files of the configuration by the names and versions that programs ask for.
    package var documents: [RolloutKey: [UInt8]] {
        var documents = [RolloutKey(name: key): Self.propertyList(experiments)]
        for version in versions {
            documents[RolloutKey(name: key, version: version.key)] = Self.propertyList(version.experiments)
        }
        return documents
    }

    /// Experiments as a property list in XML, with the keys of RolloutManager's configurations.
    static func propertyList(_ experiments: [Experiment]) -> [UInt8] {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
            #"<plist version="1.0">"#, "<dict>",
        ]
        for experiment in experiments {
            lines += [
                "\t<key>\(experiment.key.escapedForXML)</key>", "\t<dict>", "\t\t<key>Settings</key>", "\t\t<dict>",
            ]
            lines += ["\t\t\t<key>is_sticky</key>", "\t\t\t<\(experiment.isSticky)/>"]
            for (key, codes) in [
                ("supported_countries", experiment.countries), ("supported_languages", experiment.languages),
            ] where !codes.isEmpty {
                lines += [
                    "\t\t\t<key>\(key)</key>", "\t\t\t<string>\(codes.joined(separator: ",").escapedForXML)</string>",
                ]
            }
            lines += ["\t\t</dict>", "\t\t<key>Variants</key>", "\t\t<dict>"]
            for variant in experiment.variants {
                let type = variant.weight.isMultiple(of: 100) ? "integer" : "real"
                lines += [
                    "\t\t\t<key>\(variant.key.escapedForXML)</key>",
                    "\t\t\t<\(type)>\(Hundredths.text(variant.weight))</\(type)>",
                ]
            }
            lines += ["\t\t</dict>", "\t</dict>"]
        }
        return Array((lines + ["</dict>", "</plist>", ""]).joined(separator: "\n").utf8)
    }
}

extension String {
    /// The text with the characters that have a meaning in XML as references.
    fileprivate var escapedForXML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
