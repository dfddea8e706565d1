import LoopbackServer

extension Reply {
    /// The data platform knows the user, who is in these segments.
    static func segments(_ names: String...) -> Reply {
        let edges = names.map { #"{"node": {"name": "\#($0)", "state": "qualified"}}"# }.joined(separator: ", ")
        return .json(#"{"data": {"customer": {"audiences": {"edges": [\#(edges)]}}}}"#)
    }

    /// The data platform does not know the user.
    static let unknownUser = Reply.json(
        """
        {"data": {"customer": null}, "errors": [{"message": "…", "extensions":
         {"code": "INVALID_IDENTIFIER_EXCEPTION", "classification": "DataFetchingException"}}]}
        """)
}
