#if YAML
    import TurnoutFlags

    extension YAMLSyntaxError {
        /// The explanation of an error for the author of a file.
        struct Explanation {
            var message: String
            var advice: String?
            var problem = SyntaxProblem.syntax
            /// The offset in the source file.
            var offset: Int
        }

        /// The error in plain words.
        ///
        /// - Parameters:
        ///   - offset: The offset of the problem in the source file.
        ///   - begin: What libyaml was reading, and where that begins.
        ///   - source: The source file.
        /// - Returns: The message, the advice and the place to point at.
        func explained(at offset: Int, begin: (text: String, offset: Int)?, in source: SourceFile) -> Explanation {
            if value >= 0 || isEncoding { return encoding(at: offset) }
            let next = offset < source.bytes.count ? source.bytes[offset] : nil
            if next == 0x09, problem.contains("cannot start any token") || problem.contains("tab character") {
                return Explanation(
                    message: "a tab cannot indent YAML; expected spaces", advice: "Replace the tab by spaces.",
                    offset: offset)
            }
            guard let (message, advice) = Self.texts[problem] else {
                let context = begin.map { " \($0.text)" } ?? ""
                return Explanation(message: "not valid YAML: \(problem)\(context)", offset: offset)
            }
            guard let begin, begin.offset < offset else {
                return Explanation(message: message, advice: advice, offset: offset)
            }
            // An open quote, or a key without a colon, is wrong where it begins, not where the text ends.
            if ["found unexpected end of stream", "could not find expected ':'"].contains(problem) {
                return Explanation(message: message, advice: advice, offset: begin.offset)
            }
            let line = source.position(of: begin.offset).line
            let what = begin.text.split(separator: " ").suffix(2).joined(separator: " ")
            let isElsewhere = line != source.position(of: offset).line
            return Explanation(
                message: isElsewhere ? "\(message) (the \(what) begins in line \(line))" : message, advice: advice,
                offset: offset)
        }

        private var isEncoding: Bool { problem.contains("UTF-8") || problem == "invalid Unicode character" }

        private func encoding(at offset: Int) -> Explanation {
            if problem == "control characters are not allowed" {
                let digits = String(value, radix: 16, uppercase: true)
                let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                return Explanation(
                    message: value == 0 ? "a NUL character in the text" : "the character \(name) in the text",
                    advice: "Remove it, or write it as an escape in double quotes.", offset: offset)
            }
            return Explanation(
                message: "the text is not valid UTF-8 here", advice: "Save the file as UTF-8.", problem: .encoding,
                offset: offset)
        }

        /// libyaml's problems, each with what it means and what to do.
        private static let texts: [String: (message: String, advice: String?)] = [
            "could not find expected ':'": (
                "expected a colon and a space after this key",
                "Write key: value. Quote text that spans lines."
            ),
            "mapping values are not allowed in this context": (
                "a colon and a space are not expected here",
                "Quote text that has a colon, and check that the line is indented as those around it."
            ),
            "mapping keys are not allowed in this context": (
                "a key is not expected here", "Quote text that begins with a question mark."
            ),
            "block sequence entries are not allowed in this context": (
                "a list item (-) is not expected here", "Begin the list on a line of its own."
            ),
            "did not find expected key": (
                "expected a key, as the lines before have",
                "Check that the line is indented as the other keys of the mapping, and that quotes are closed."
            ),
            "did not find expected '-' indicator": (
                "expected a list item that begins with -",
                "Check that the line is indented as the other items of the list."
            ),
            "did not find expected ',' or ']'": (
                "expected a comma or ] in the list", "Close the list, or quote text that has [, ], { or }."
            ),
            "did not find expected ',' or '}'": (
                "expected a comma or } in the mapping", "Close the mapping, or quote text that has [, ], { or }."
            ),
            "did not find expected node content": ("expected a value", "Remove the comma or the colon before it."),
            "did not find expected <document start>": (
                "expected the end of the file", "Keep one value in a file: a mapping whose keys are not indented."
            ),
            "found character that cannot start any token": (
                "this character cannot begin a value", "Quote text that begins with %, @ or a backtick."
            ),
            "found unexpected end of stream": ("a quote without its end", "Close the quote."),
            "found unexpected document indicator": ("a quote without its end before --- or ...", "Close the quote."),
            "found unknown escape character": (
                "an unknown escape after the backslash", "Write \\\\ for a backslash, or use single quotes."
            ),
            "did not find expected hexdecimal number": ("expected hexadecimal digits in the escape", nil),
            "found invalid Unicode character escape code": ("the escape is not a Unicode character", nil),
            "found a tab character that violates indentation": (
                "a tab cannot indent YAML; expected spaces", "Replace the tab by spaces."
            ),
            "found a tab character where an indentation space is expected": (
                "a tab cannot indent YAML; expected spaces", "Replace the tab by spaces."
            ),
            "did not find expected comment or line break": (
                "expected the end of the line after | or >", "Begin the text on the next line."
            ),
            "found an indentation indicator equal to 0": ("the indentation after | or > cannot be 0", nil),
            "did not find expected alphabetic or numeric character": (
                "expected a name after & or *", "Quote text that begins with & or *."
            ),
            "found unexpected ':'": ("a colon inside text without quotes", "Quote text that has a colon."),
            "out of memory": ("out of memory", nil),
        ]
    }
#endif
