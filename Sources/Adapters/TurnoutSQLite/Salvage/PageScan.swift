#if SQLite
    /// Reads the rows of all readable pages, in page order, whether or not a b-tree refers to them.
    ///
    /// The rows of each table have a distinct shape, which identifies the table of a page. The b-trees are walked as
    /// well, to find the table of an unreadable page.
    final class PageScan {
        enum Table: Hashable, CaseIterable {
            case totals, groups, events, rejected, users, assignments, settings, datafiles
            /// SQLite's own tables, and indexes.
            case other
        }

        struct Row {
            let table: Table
            /// The row's key; 0 for an entry of an index.
            let key: Int64
            let record: SQLiteRecord
        }

        /// The number of unreadable cells, by table.
        private(set) var badCells: [Table: Int] = [:]
        /// Tables that have lost an unknown number of rows; nil means any table may have.
        private(set) var damaged: Set<Table?> = []
        private let image: PageImage
        private var page: [UInt8]
        private var overflowPage: [UInt8]
        /// Pages whose rows are read in a second pass, when the rows that they refer to are known.
        private var eventPages: [Int] = []
        /// Pages without a valid header. Overflow pages among them are not damaged.
        private var unreadable: [Int] = []
        private var overflowPages: Set<Int> = []
        /// The tables of pages that a b-tree refers to.
        private var tables: [Int: Table] = [:]

        init(_ image: PageImage) {
            self.image = image
            page = [UInt8](repeating: 0, count: image.pageSize)
            overflowPage = page
            if image.isTruncated { damaged.insert(nil) }
        }

        // MARK: Rows

        /// Calls `visit` with the rows of all tables except events.
        func scan(_ visit: (Row) throws -> Void) rethrows {
            walkTrees()
            let free = freePages()
            for number in 1...image.pageCount where !free.contains(number) && number != image.lockPage {
                try scan(number, visit)
            }
        }

        private func scan(_ number: Int, _ visit: (Row) throws -> Void) rethrows {
            guard image.read(number, into: &page),
                let tree = BTreePage(page, usableSize: image.usableSize, isFirst: number == 1)
            else {
                unreadable.append(number)
                return
            }
            guard tree.kind != .interiorTable else {
                if tree.children(page).contains(where: { !(2...image.pageCount).contains($0) }) {
                    unreadable.append(number)
                }
                return
            }
            var occupied: [Range<Int>] = []
            var table: Table?
            var bad = tree.badCells
            for start in tree.cells {
                guard let cell = BTreeCell(page, at: start, tree.kind, usableSize: image.usableSize) else {
                    bad += 1
                    continue
                }
                occupied.append(cell.range)
                // Events are read later: only the table of the page matters now.
                if table == .events { continue }
                guard let record = record(of: cell), let found = Table(record, tree.kind), found == table ?? found
                else {
                    bad += 1
                    continue
                }
                table = found
                if found != .events { try visit(Row(table: found, key: cell.row, record: record)) }
            }
            if table == .events { eventPages.append(number) }
            let owner = table ?? tables[number]
            if bad > 0, let owner { badCells[owner, default: 0] += bad }
            if bad > 0 && owner == nil || !tree.isConsistent(page, occupied: occupied) { damaged.insert(owner) }
        }

        /// Calls `visit` with events that have a pointer and, on damaged pages, with events found at any byte. The
        /// caller must verify their checksums, and may get an event twice.
        func scanEvents(_ visit: (Row) throws -> Void) rethrows {
            for number in eventPages {
                guard image.read(number, into: &page),
                    let tree = BTreePage(page, usableSize: image.usableSize, isFirst: false)
                else { continue }
                var occupied: [Range<Int>] = []
                for start in tree.cells {
                    guard let cell = BTreeCell(page, at: start, tree.kind, usableSize: image.usableSize) else {
                        continue
                    }
                    occupied.append(cell.range)
                    guard let record = record(of: cell), Table(record, tree.kind) == .events else { continue }
                    try visit(Row(table: .events, key: cell.row, record: record))
                }
                if !tree.isConsistent(page, occupied: occupied) { try searchEvents(visit) }
            }
            for number in unreadable where !overflowPages.contains(number) {
                damaged.insert(tables[number])
                if image.read(number, into: &page) { try searchEvents(visit) }
            }
        }

        private func searchEvents(_ visit: (Row) throws -> Void) rethrows {
            for start in 0..<image.usableSize - 8 {
                guard let cell = BTreeCell(page, at: start, .leafTable, usableSize: image.usableSize),
                    (1 << 48..<EventIDs.inMemory).contains(cell.row), let record = record(of: cell),
                    Table(record, .leafTable) == .events
                else { continue }
                try visit(Row(table: .events, key: cell.row, record: record))
            }
        }

        /// The content of a cell in `page`, or nil if it or an overflow page is damaged.
        private func record(of cell: BTreeCell) -> SQLiteRecord? {
            var bytes = Array(page[cell.local])
            var next = cell.overflow
            var visited: [Int] = []
            while bytes.count < cell.length {
                guard let number = next, number > 1, visited.count <= image.pageCount,
                    image.read(number, into: &overflowPage)
                else { return nil }
                visited.append(number)
                let count = min(cell.length - bytes.count, image.usableSize - 4)
                bytes += overflowPage[4..<4 + count]
                next = overflowPage.bigEndian32(at: 0)
            }
            guard let record = SQLiteRecord(bytes) else { return nil }
            overflowPages.formUnion(visited)
            return record
        }

        // MARK: Pages

        /// Records the tables of all pages that the schema refers to.
        private func walkTrees() {
            var roots: [(page: Int, table: Table)] = []
            walk(from: 1, .other) { record in
                guard record.values.count == 5, let name = record.text(1), let root = record.int(3), root > 1
                else { return }
                roots.append((Int(clamping: root), Table(named: name)))
            }
            for root in roots { walk(from: root.page, root.table) { _ in } }
        }

        private func walk(from root: Int, _ table: Table, _ visit: (SQLiteRecord) -> Void) {
            var rest = [root]
            while let number = rest.popLast() {
                guard (1...image.pageCount).contains(number), tables[number] == nil else { continue }
                tables[number] = table
                guard image.read(number, into: &page),
                    let tree = BTreePage(page, usableSize: image.usableSize, isFirst: number == 1)
                else { continue }
                rest += tree.children(page)
                guard root == 1, tree.kind == .leafTable else { continue }
                for start in tree.cells {
                    if let cell = BTreeCell(page, at: start, tree.kind, usableSize: image.usableSize),
                        let record = record(of: cell)
                    {
                        visit(record)
                    }
                }
            }
        }

        /// The free pages, which may still contain deleted rows. Empty if the list is damaged.
        private func freePages() -> Set<Int> {
            guard image.read(1, into: &page) else { return [] }
            let count = page.bigEndian32(at: 36)
            var next = page.bigEndian32(at: 32)
            var free: Set<Int> = []
            func add(_ number: Int) -> Bool {
                (2...max(2, image.pageCount)).contains(number) && tables[number] == nil && free.insert(number).inserted
            }
            while next != 0 {
                guard add(next), image.read(next, into: &page) else { return [] }
                let leaves = page.bigEndian32(at: 4)
                guard leaves <= image.usableSize / 4 - 2 else { return [] }
                for index in 0..<leaves {
                    guard add(page.bigEndian32(at: 8 + 4 * index)) else { return [] }
                }
                next = page.bigEndian32(at: 0)
            }
            return free.count == count ? free : []
        }
    }

    extension PageScan.Table {
        fileprivate init(named name: String) {
            switch name {
            case "totals": self = .totals
            case "groups": self = .groups
            case "events": self = .events
            case "rejected": self = .rejected
            case "users": self = .users
            case "assignments": self = .assignments
            case "settings": self = .settings
            case "datafiles": self = .datafiles
            default: self = .other
            }
        }

        /// The table of a record, or nil if no table has such records.
        fileprivate init?(_ record: SQLiteRecord, _ kind: BTreePage.Kind) {
            let isTable = kind == .leafTable
            switch record.shape {
            case "ntiiii" where isTable: self = .totals
            case "ntttnni", "nttttni", "ntttnti", "nttttti":
                guard isTable else { return nil }
                self = .groups
            case "niiib" where isTable, "ninib" where isTable: self = .events
            case "nti" where isTable: self = .users
            case "tbnni", "tbtni", "tbnti", "tbtti":
                guard isTable else { return nil }
                self = .datafiles
            case "tt" where !isTable: self = .settings
            case "itt" where !isTable: self = .assignments
            case "ti", "ii", "tttit": self = .other
            case let shape where isTable && shape.utf8.count == 6 && shape.hasPrefix("nii"): self = .rejected
            default: return nil
            }
        }
    }
#endif
