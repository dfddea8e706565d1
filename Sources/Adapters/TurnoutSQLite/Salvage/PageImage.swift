#if SQLite
    import LibC

    /// The pages of a database as of its last commit: those in the write-ahead log take precedence over those in the
    /// file. Read without SQLite's b-trees, in which one damaged page hides all pages below it.
    ///
    /// Checksums of the log are not verified. A frame counts if it has the salts of the log's first frame and a commit
    /// follows, which excludes older frames that are not overwritten yet; a damaged frame is a damaged page, like one
    /// in the file.
    final class PageImage {
        let pageSize: Int
        let pageCount: Int
        /// The page that has no content, because SQLite's locks are on its bytes, in a file of more than 1 GiB.
        var lockPage: Int { (1 << 30) / pageSize + 1 }
        /// The bytes of a page that hold content; the rest is reserved.
        let usableSize: Int
        /// Whether the file is shorter than its header says.
        let isTruncated: Bool
        private let file: SQLiteConnection?
        private let fileSize: Int
        private let log: LogFile?
        /// The position in the log of the newest version of each page.
        private let places: [Int: Int]

        /// Reads the layout. Returns nil if there are no pages.
        ///
        /// - Parameters:
        ///   - file: A connection to the file; nil if there is only a log.
        ///   - path: The file's path.
        init?(file: SQLiteConnection?, path: String) {
            self.file = file
            fileSize = file?.fileSize ?? 0
            log = LogFile(path: path + "-wal")
            var header = [UInt8](repeating: 0, count: 100)
            let size = file?.readFile(at: 0, into: &header) == 100 ? Self.pageSize(header[16...17]) : nil
            let guess = { [fileSize] in Self.likelyPageSize(of: file, fileSize) }
            pageSize = log?.pageSize ?? size ?? guess()
            let frames = log?.frames(pageSize: pageSize) ?? (places: [:], pageCount: nil)
            places = frames.places
            let available = max((fileSize + pageSize - 1) / pageSize, places.keys.max() ?? 0)
            pageCount = frames.pageCount.map { min($0, available) } ?? available
            guard pageCount > 0 else { return nil }
            // The constants after the number of reserved bytes show whether it is intact. Apple's library reserves 12.
            let isWhole = header[21...23].elementsEqual([64, 32, 32]) && header[20] <= 32
            let reserved = isWhole ? Int(header[20]) : Self.likelyReserve(of: file, pageSize, fileSize)
            usableSize = pageSize - reserved
            isTruncated = header.bigEndian32(at: 28) > available && frames.pageCount == nil || fileSize % pageSize != 0
        }

        /// Reads a page into `page`, which has the size of one. Returns false if the page is missing or incomplete.
        func read(_ number: Int, into page: inout [UInt8]) -> Bool {
            if let place = places[number] { return log?.read(at: place, into: &page) == pageSize }
            guard number > 0, number <= pageCount else { return false }
            return file?.readFile(at: (number - 1) * pageSize, into: &page) == pageSize
        }

        /// The page size that two bytes of a header encode, or nil if it is invalid.
        fileprivate static func pageSize(_ bytes: ArraySlice<UInt8>) -> Int? {
            let size = bytes.reduce(0) { $0 << 8 | Int($1) }
            if size == 1 { return 65_536 }
            return size >= 512 && size & (size - 1) == 0 ? size : nil
        }

        /// The page size of a file without a header: 4096 or 8192, whichever makes more pages look like b-tree pages.
        /// Files have had both.
        private static func likelyPageSize(of file: SQLiteConnection?, _ fileSize: Int) -> Int {
            func pages(_ size: Int) -> Int {
                var page = [UInt8](repeating: 0, count: size)
                return (1..<max(2, min(fileSize / size, 1_000 * 8_192 / size))).count { number in
                    guard file?.readFile(at: number * size, into: &page) == size else { return false }
                    return BTreePage(page, usableSize: size, isFirst: false)?.cells.isEmpty == false
                }
            }
            return pages(4_096) > pages(8_192) ? 4_096 : 8_192
        }
    }

    extension PageImage {
        private static func likelyReserve(of file: SQLiteConnection?, _ size: Int, _ fileSize: Int) -> Int {
            func pages(_ usableSize: Int) -> Int {
                var page = [UInt8](repeating: 0, count: size)
                return (1..<max(2, min(fileSize / size, 200))).count { number in
                    guard file?.readFile(at: number * size, into: &page) == size,
                        let tree = BTreePage(page, usableSize: usableSize, isFirst: false)
                    else { return false }
                    let cells = tree.cells.compactMap {
                        BTreeCell(page, at: $0, tree.kind, usableSize: usableSize)?.range
                    }
                    return !cells.isEmpty && tree.isConsistent(page, occupied: cells)
                }
            }
            return pages(size - 12) > pages(size) ? 12 : 0
        }
    }

    /// The write-ahead log beside a file.
    private final class LogFile {
        /// The page size in the log's header; nil if the header is damaged.
        let pageSize: Int?
        private let descriptor: Int32
        private static let (headerSize, frameHeaderSize) = (32, 24)

        /// Opens a log. Returns nil if there is none or it is empty.
        init?(path: String) {
            // SQLite holds no locks on this file, so closing it releases none.
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { return nil }
            var header = [UInt8](repeating: 0, count: Self.headerSize)
            let count = pread(descriptor, &header, Self.headerSize, 0)
            let size = header.bigEndian32(at: 8)
            let isWhole = header.bigEndian32(at: 0) & ~1 == 0x377F_0682 && (512...65_536).contains(size)
            pageSize = isWhole && size & (size - 1) == 0 ? size : nil
            guard count == Self.headerSize else { return nil }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        func read(at place: Int, into bytes: inout [UInt8]) -> Int {
            pread(descriptor, &bytes, bytes.count, off_t(place))
        }

        /// The position of the newest committed version of each page, and the page count of the last commit; nil if
        /// there is none.
        func frames(pageSize: Int) -> (places: [Int: Int], pageCount: Int?) {
            var (places, pending): ([Int: Int], [Int: Int]) = ([:], [:])
            var pageCount: Int?
            var salts: ArraySlice<UInt8>?
            var header = [UInt8](repeating: 0, count: Self.frameHeaderSize)
            var place = Self.headerSize
            while read(at: place, into: &header) == Self.frameHeaderSize {
                defer { place += Self.frameHeaderSize + pageSize }
                if salts == nil { salts = header[8..<16] }
                let number = header.bigEndian32(at: 0)
                guard header[8..<16] == salts, number > 0 else { continue }
                pending[number] = place + Self.frameHeaderSize
                let size = header.bigEndian32(at: 4)
                guard size > 0 else { continue }
                pageCount = size
                places.merge(pending) { $1 }
                pending = [:]
            }
            return (places, pageCount)
        }
    }

    extension [UInt8] {
        func bigEndian16(at place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }
        func bigEndian32(at place: Int) -> Int { bigEndian16(at: place) << 16 | bigEndian16(at: place + 2) }
    }
#endif
