extension Reply {
    /// A known user, in these segments.
    static func segments(_ names: String...) -> Reply {
        let edges = names.map { #"{"node": {"name": "\#($0)", "state": "qualified"}}"# }.joined(separator: ", ")
        return .json(#"{"data": {"customer": {"audiences": {"edges": [\#(edges)]}}}}"#)
    }

    /// An unknown user.
    static let unknownUser = Reply.json(
        """
        {"data": {"customer": null}, "errors": [{"message": "…", "extensions":
         {"code": "INVALID_IDENTIFIER_EXCEPTION", "classification": "DataFetchingException"}}]}
        """)
}
