import CYAML
import TurnoutEngine
import TurnoutFlags

/// The events of a YAML text in UTF-8, the only code that calls libyaml.
///
/// The memory of libyaml is released with the parser. The text must stay in place until then.
struct YAMLParser: ~Copyable {
    /// libyaml keeps a pointer to the parser itself, which therefore must not move.
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// Starts to read a text; nil without memory.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            return nil
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    mutating func next() throws(YAMLSyntaxError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw error }
        defer { yaml_event_delete(&event) }
        let place = event.start_mark.index..<max(event.start_mark.index, event.end_mark.index)
        let content = Self.content(of: event)
        return YAMLEvent(content: content.0, anchor: content.anchor, hasTag: content.hasTag, place: place)
    }

    private static func content(of event: yaml_event_t) -> (YAMLEvent.Content, anchor: String?, hasTag: Bool) {
        switch event.type {
        case YAML_ALIAS_EVENT: return (.alias(text(event.data.alias.anchor) ?? ""), nil, false)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let isBlock = scalar.style == YAML_LITERAL_SCALAR_STYLE || scalar.style == YAML_FOLDED_SCALAR_STYLE
            let style: YAMLEvent.ScalarStyle =
                scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : isBlock ? .block : .quoted
            let content = YAMLEvent.Content.scalar(String(decoding: bytes, as: UTF8.self), style)
            return (content, text(scalar.anchor), scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            let isFlow = start.style == YAML_FLOW_SEQUENCE_STYLE
            return (.sequenceStart(isFlow: isFlow), text(start.anchor), start.tag != nil)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            let isFlow = start.style == YAML_FLOW_MAPPING_STYLE
            return (.mappingStart(isFlow: isFlow), text(start.anchor), start.tag != nil)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return (.collectionEnd, nil, false)
        case YAML_DOCUMENT_END_EVENT: return (.documentEnd, nil, false)
        case YAML_STREAM_END_EVENT: return (.streamEnd, nil, false)
        default: return (.start, nil, false)
        }
    }

    private static func text(_ characters: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        characters.map { String(cString: $0) }
    }

    /// The error of libyaml after it failed.
    private var error: YAMLSyntaxError {
        let state = parser.pointee
        guard state.error != YAML_MEMORY_ERROR, let problem = state.problem else {
            return YAMLSyntaxError(problem: "out of memory", place: .character(0))
        }
        // The decoder counts bytes, all else counts characters.
        if state.error == YAML_READER_ERROR {
            return YAMLSyntaxError(
                problem: String(cString: problem), value: Int(state.problem_value),
                place: .byte(state.problem_offset))
        }
        var error = YAMLSyntaxError(problem: String(cString: problem), place: .character(state.problem_mark.index))
        if let context = state.context {
            error.context = (String(cString: context), state.context_mark.index)
        }
        return error
    }
}

/// A part of a YAML text.
struct YAMLEvent {
    /// How a scalar is written: `plain`, `'quoted'` or `"quoted"`, `|` or `>`.
    enum ScalarStyle { case plain, quoted, block }

    enum Content {
        /// The beginning of the text or of a document.
        case start
        case scalar(String, ScalarStyle)
        case alias(String)
        case sequenceStart(isFlow: Bool)
        case mappingStart(isFlow: Bool)
        case collectionEnd
        case documentEnd
        case streamEnd
    }

    let content: Content
    /// The name of the node's anchor.
    let anchor: String?
    /// Whether the node has a tag.
    let hasTag: Bool
    /// The characters of the text that it stands for. At the end of a collection in block style, those after it.
    let place: Range<Int>
}

/// Why a text is not YAML, in libyaml's words.
struct YAMLSyntaxError: Error {
    /// A place as libyaml counts it.
    enum Place {
        case byte(Int)
        case character(Int)
    }

    var problem: String
    /// The byte or character that is the problem; -1 if it is not a single one.
    var value = -1
    var place: Place
    /// The element that was being read, and the character at which it begins.
    var context: (text: String, character: Int)?

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
            let name = "U+" + value.hexadecimal(width: 4, uppercase: true)
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
