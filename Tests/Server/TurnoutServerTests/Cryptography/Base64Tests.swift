import Testing
import TurnoutServer

@Suite("Base64")
struct Base64Tests {
    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
    func textIsTheSameAfterDecoding(text: String) {
        for base64 in [Base64.standard, .urlSafe] {
            #expect(base64.decode(base64.encode(Array(text.utf8))) == Array(text.utf8))
        }
    }

    @Test func alphabetsDiffer() {
        #expect(Base64.standard.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64.urlSafe.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64.standard.encode(Array("foobar".utf8)) == "Zm9vYmFy")
        #expect(Base64.standard.decode("+/8") == [0xFB, 0xFF])
        #expect(Base64.urlSafe.decode("-_8=") == [0xFB, 0xFF])
    }

    @Test(arguments: ["a", "ab=c", "a===", "ab==c", "ab cd", "Zh", "-_8=", "é"])
    func invalidTextIsRefused(text: String) {
        #expect(Base64.standard.decode(text) == nil)
    }
}
