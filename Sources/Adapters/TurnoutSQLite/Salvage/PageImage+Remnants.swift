#if SQLite
    extension PageImage {
        /// Whether a text, or most of it, is in a gap between the cells of a page.
        ///
        /// SQLite overwrites deleted cells, but when it moves cells to another page their bytes remain: in a test with
        /// random names, one deleted row in some thousands could still be found. Freed pages are overwritten.
        func hasRemnants(of text: String) -> Bool {
            let bytes = Array(text.utf8)
            // Part of it may have been overwritten since.
            let length = min(bytes.count, max(8, bytes.count * 3 / 4))
            guard length > 0 else { return false }
            let parts = Set((0...bytes.count - length).map { Array(bytes[$0..<$0 + length]) })
            var page = [UInt8](repeating: 0, count: pageSize)
            return (1...pageCount).contains { number in
                guard read(number, into: &page),
                    let tree = BTreePage(page, usableSize: usableSize, isFirst: number == 1),
                    tree.kind != .interiorTable
                else { return false }
                let cells = tree.cells.compactMap { BTreeCell(page, at: $0, tree.kind, usableSize: usableSize)?.range }
                return tree.gaps(page, occupied: cells).contains { gap in
                    guard gap.count >= length, page[gap].contains(where: { $0 != 0 }) else { return false }
                    return (gap.lowerBound...gap.upperBound - length).contains {
                        page[$0] != 0 && parts.contains(Array(page[$0..<$0 + length]))
                    }
                }
            }
        }
    }
#endif
