#if YAML
    import CYAML

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

        private static func content(
            of event: yaml_event_t
        ) -> (YAMLEvent.Content, anchor: String?, hasTag: Bool) {
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
            var error = YAMLSyntaxError(
                problem: String(cString: problem), place: .character(state.problem_mark.index))
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
    }
#endif
