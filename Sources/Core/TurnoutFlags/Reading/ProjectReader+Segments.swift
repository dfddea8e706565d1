extension ProjectReader {
    /// The service for segments, and the segments that the project defines.
    mutating func segments(_ entry: KeyedEntry) -> SegmentService? {
        guard let members = members(of: entry, .segments) else { return nil }
        var service = SegmentService(host: string(members["host"]), publicKey: string(members["public_key"]))
        service.defined = keyed(members["define"]) { $0.segment($1) }
        return service
    }

    private mutating func segment(_ entry: KeyedEntry) -> AuthoredSegment? {
        guard let members = members(of: entry, .segment) else { return nil }
        return AuthoredSegment(
            key: entry.key, members: strings(members["members"]) ?? [],
            rule: members["rule"].flatMap { segmentRule($0) })
    }

    private mutating func segmentRule(_ entry: KeyedEntry) -> SegmentRule? {
        guard let members = members(of: entry, .segmentRule),
            let event = required("event", in: members), let key = string(event)
        else { return nil }
        // Events of the data platform, such as `shop/added_to_cart`, are not among the project's.
        if !key.contains("/") { _ = check(key, in: events, at: event.offset) }
        return SegmentRule(
            event: key, days: count(members["days"]), times: count(members["times"]) ?? 1,
            revenue: count(members["revenue"]))
    }

    /// A whole number of at least 1.
    private mutating func count(_ entry: KeyedEntry?) -> Int? {
        guard let entry else { return nil }
        if let text = entry.node.text, text.utf8.count <= 15, let number = Int(text), number >= 1 { return number }
        reportType("a whole number of at least 1", entry)
        return nil
    }
}
