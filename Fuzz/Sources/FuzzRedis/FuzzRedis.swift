import FuzzDriver
import TurnoutRedis

/// Any bytes are replies or an error, the same in one piece and byte by byte.
@main struct FuzzRedis {
    static func main() {
        fuzz { start, count in
            let (whole, pieces) = (ReplyReader([1, 2, 5]), ReplyReader([1, 2, 5]))
            let input = UnsafeRawBufferPointer(start: start, count: count)
            let isValid = (try? whole.take(input)) != nil
            var isValidInPieces = true
            for place in input.indices where isValidInPieces {
                isValidInPieces = (try? pieces.take(UnsafeRawBufferPointer(rebasing: input[place...place]))) != nil
            }
            precondition(isValid == isValidInPieces && whole.replies == pieces.replies, "the pieces are other replies")
            return 0
        }
    }
}
