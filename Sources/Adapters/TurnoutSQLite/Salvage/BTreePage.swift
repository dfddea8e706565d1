#if SQLite
    /// A b-tree page in SQLite's file format, with the positions of its cells.
    struct BTreePage {
        enum Kind: UInt8 {
            case interiorIndex = 2, interiorTable = 5, leafIndex = 10, leafTable = 13

            var isInterior: Bool { self == .interiorIndex || self == .interiorTable }
        }

        let kind: Kind
        private(set) var cells: [Int] = []
        /// The number of cells whose pointers are outside the page.
        private(set) var badCells = 0
        /// Where the page's header ends and pointers to cells begin.
        private let pointers: Int
        private let header: Int
        private let usableSize: Int

        /// Reads a page's header and its pointers. Returns nil if it is not a b-tree page or its header is damaged.
        init?(_ page: [UInt8], usableSize: Int, isFirst: Bool) {
            header = isFirst ? 100 : 0
            guard let kind = Kind(rawValue: page[header]) else { return nil }
            self.kind = kind
            self.usableSize = usableSize
            pointers = header + (kind.isInterior ? 12 : 8)
            let count = page.bigEndian16(at: header + 3)
            let end = pointers + 2 * count
            guard end <= usableSize else { return nil }
            cells.reserveCapacity(count)
            for index in 0..<count {
                let cell = page.bigEndian16(at: pointers + 2 * index)
                if cell >= end, cell <= usableSize - 4 { cells.append(cell) } else { badCells += 1 }
            }
            // Most pointers are invalid, so this is not a header.
            if count > 2, badCells * 2 > count { return nil }
        }

        /// The pages below this one.
        func children(_ page: [UInt8]) -> [Int] {
            guard kind.isInterior else { return [] }
            return cells.map { page.bigEndian32(at: $0) } + [page.bigEndian32(at: header + 8)]
        }

        /// Whether cells, free blocks and fragments fill the page as the header says. Otherwise pointers to cells may
        /// be missing.
        func isConsistent(_ page: [UInt8], occupied: [Range<Int>]) -> Bool {
            let start = page.bigEndian16(at: header + 5)
            var sum = occupied.reduce(Int(page[header + 7])) { $0 + $1.count }
            for block in freeBlocks(page) { sum += block.count }
            return badCells == 0 && sum == usableSize - (start == 0 ? 65_536 : start)
        }

        /// The ranges outside of the header, the pointers and the cells.
        func gaps(_ page: [UInt8], occupied: [Range<Int>]) -> [Range<Int>] {
            var gaps: [Range<Int>] = []
            var place = pointers + 2 * (cells.count + badCells)
            for range in occupied.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if range.lowerBound > place { gaps.append(place..<range.lowerBound) }
                place = max(place, range.upperBound)
            }
            if place < usableSize { gaps.append(place..<usableSize) }
            return gaps
        }

        private func freeBlocks(_ page: [UInt8]) -> [Range<Int>] {
            var blocks: [Range<Int>] = []
            var place = page.bigEndian16(at: header + 1)
            while place > 0, place + 4 <= usableSize, place > blocks.last?.lowerBound ?? 0 {
                let size = page.bigEndian16(at: place + 2)
                guard size >= 4, place + size <= usableSize else { break }
                blocks.append(place..<place + size)
                place = page.bigEndian16(at: place)
            }
            return blocks
        }
    }

    /// A cell: a row's key, and the part of its content that is in the page.
    struct BTreeCell {
        /// The key of a row of a table; 0 in an index.
        private(set) var row: Int64 = 0
        /// The length of the content.
        let length: Int
        /// The content in the page.
        let local: Range<Int>
        /// The first page with the rest of the content; nil if all of it is in this page.
        let overflow: Int?
        /// The part of the page that the cell occupies.
        let range: Range<Int>

        /// Reads a cell with content. Returns nil if it does not fit into the page.
        init?(_ page: [UInt8], at start: Int, _ kind: BTreePage.Kind, usableSize: Int) {
            var place = start + (kind.isInterior ? 4 : 0)
            guard kind != .interiorTable, let length = page.varint(at: &place, end: usableSize), length >= 0,
                length < 1 << 31
            else { return nil }
            if kind == .leafTable {
                guard let row = page.varint(at: &place, end: usableSize) else { return nil }
                self.row = row
            }
            self.length = Int(length)
            let count = Self.localCount(of: Int(length), kind, usableSize)
            let end = place + count + (count < length ? 4 : 0)
            guard end <= usableSize else { return nil }
            local = place..<place + count
            overflow = count < length ? page.bigEndian32(at: place + count) : nil
            range = start..<max(end, start + 4)
        }

        /// How many bytes of content are in the page, by the rules of the file format.
        private static func localCount(of length: Int, _ kind: BTreePage.Kind, _ usableSize: Int) -> Int {
            let most = kind == .leafTable ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
            guard length > most else { return length }
            let least = (usableSize - 12) * 32 / 255 - 23
            let count = least + (length - least) % (usableSize - 4)
            return count <= most ? count : least
        }
    }

    extension [UInt8] {
        /// Reads the variable-length integer at `place` and advances `place`. Returns nil if it does not end before
        /// `end`.
        func varint(at place: inout Int, end: Int) -> Int64? {
            var value: UInt64 = 0
            for index in 0..<9 {
                guard place < end else { return nil }
                let byte = self[place]
                place += 1
                if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
                value = value << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { break }
            }
            return Int64(bitPattern: value)
        }
    }
#endif
