/// The visitors of an experiment with their first exposures, in a table of 32 to 40 bytes for each if they are many.
struct VisitorTable {
    /// Why a visitor is not counted.
    struct Marks: OptionSet {
        let rawValue: UInt32
        static let forced = Marks(rawValue: 1)
        static let excluded = Marks(rawValue: 2)
        static let bot = Marks(rawValue: 4)
        static let crossed = Marks(rawValue: 8)
    }

    /// A visitor's first exposure. Of several at the same time, that to the first arm from the first source.
    struct Exposure {
        var time: Int64
        var arm: Int
        /// The place of the client in the sorted list of all.
        var source: Int

        /// The number of the UTC day.
        var day: Int { Int(time / 86_400_000) }
        /// The visitors to count together.
        var group: Group { Group(arm: arm, day: day, source: source) }
    }

    /// Visitors of an arm, a day and perhaps a source.
    struct Group: Hashable, Comparable {
        var arm: Int
        var day: Int
        var source = 0

        static func < (left: Group, right: Group) -> Bool {
            (left.arm, left.day, left.source) < (right.arm, right.day, right.source)
        }
    }

    private static let maximumSource: UInt32 = 1 << 28 - 1

    private struct Place {
        /// The number of the visitor; 0 if the place is free.
        var visitor: Int64 = 0
        /// The time and the arm.
        var first: UInt64 = 0
        /// The source and the marks.
        var notes: UInt32 = 0
    }

    /// In the order of the visitors' numbers, except that visitors who collide follow each other.
    private var places: [Place]
    private var count = 0

    init(capacity: Int = 1_024) { places = Array(repeating: Place(), count: capacity) }

    /// The memory in bytes.
    var size: Int { Self.size(places.count) }
    /// The number of places.
    var capacity: Int { places.count }

    static func size(_ capacity: Int) -> Int { capacity * MemoryLayout<Place>.stride }

    /// The place of a visitor; that of a new visitor is free.
    private func place(of visitor: Int64) -> Int {
        var place = Int((UInt64(bitPattern: visitor) << 1).multipliedFullWidth(by: UInt64(places.count)).high)
        while places[place].visitor != visitor, places[place].visitor != 0 {
            place += 1
            if place == places.count { place = 0 }
        }
        return place
    }

    /// The place of a visitor; nil for an unknown one.
    func find(_ visitor: Int64) -> Int? {
        let place = place(of: visitor)
        return places[place].visitor == 0 ? nil : place
    }

    /// Adds an exposure. The visitor's number and the time must be positive, and the arm less than 65,536.
    ///
    /// - Returns: Whether there is room for more within a limit of bytes.
    mutating func add(_ visitor: Int64, _ exposure: Exposure, limit: Int) -> Bool {
        let place = place(of: visitor)
        let known = places[place]
        let first = UInt64(exposure.time) << 16 | UInt64(exposure.arm)
        let source = min(UInt32(exposure.source), Self.maximumSource) << 4
        guard known.visitor != 0 else {
            places[place] = Place(visitor: visitor, first: first, notes: source)
            count += 1
            return count * 4 < capacity * 3 || grow(within: limit)
        }
        var marks = marks(at: place)
        if first & 0xFFFF != known.first & 0xFFFF { marks.insert(.crossed) }
        let isFirst = (first, source) < (known.first, known.notes & ~15)
        if isFirst { places[place].first = first }
        places[place].notes = (isFirst ? source : known.notes & ~15) | marks.rawValue
        return true
    }

    /// Marks a visitor, if there is such a one.
    mutating func mark(_ visitor: Int64, _ mark: Marks) {
        if let place = find(visitor) { places[place].notes |= mark.rawValue }
    }

    func marks(at place: Int) -> Marks { Marks(rawValue: places[place].notes & 15) }

    /// The first exposure at a place; nil if it is free.
    func first(at place: Int) -> Exposure? {
        let place = places[place]
        guard place.visitor != 0 else { return nil }
        return Exposure(time: Int64(place.first >> 16), arm: Int(place.first & 0xFFFF), source: Int(place.notes >> 4))
    }

    /// The first exposure at a place; nil if the place is free, or its visitor is left out.
    func counted(at place: Int) -> Exposure? { marks(at: place).isEmpty ? first(at: place) : nil }

    private mutating func grow(within limit: Int) -> Bool {
        // Both tables are in memory meanwhile.
        guard size + Self.size(capacity * 5 / 4) <= limit else { return false }
        var larger = VisitorTable(capacity: capacity * 5 / 4)
        for known in places where known.visitor != 0 { larger.places[larger.place(of: known.visitor)] = known }
        larger.count = count
        self = larger
        return true
    }
}
