"""Replies to requests."""

import base64
import http
import zlib

ZEROS = bytes(65536)


def gzipped(pieces):
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)  # 31: as gzip
    for piece in pieces:
        if data := compressor.compress(piece):
            yield data
    yield compressor.flush()


class Reply:
    """See `LoopbackServer.Reply` for the members."""

    def __init__(self, members):
        get = members.get
        self.status = get("status", 200)
        self.headers = get("headers", {})
        self.body = base64.b64decode(get("body", ""))
        self.zeros = get("zeros", 0)
        self.is_gzipped = get("isGzipped", False)
        self.is_chunked = get("isChunked", False)
        self.length = get("announcedLength")
        self.has_no_length = get("hasNoLength", False)
        self.delay = get("delay", 0)
        self.piece_size = get("pieceSize", 0)
        self.pause = get("pause", 0)
        self.stop_after = get("stopAfter")
        self.is_silent = get("isSilent", False)
        self.ending = get("ending", "keep")
        self.raw = base64.b64decode(members["raw"]) if get("raw") is not None else None
        if self.has_no_length and self.ending == "keep":
            self.ending = "close"
        if self.is_gzipped:
            # Compressed once, not per request.
            self.body, self.zeros = b"".join(gzipped(self.plain())), 0

    @property
    def is_success(self):
        return 200 <= self.status < 300 and not self.is_silent and self.raw is None

    @property
    def has_body(self):
        return self.status not in (204, 304) and self.status >= 200

    def plain(self):
        if self.body:
            yield self.body
        for _ in range(self.zeros // len(ZEROS)):
            yield ZEROS
        if self.zeros % len(ZEROS):
            yield ZEROS[: self.zeros % len(ZEROS)]

    def head(self, request):
        if self.raw is not None:
            return b""
        try:
            phrase = http.HTTPStatus(self.status).phrase
        except ValueError:
            phrase = "Status"
        lines = [f"HTTP/1.1 {self.status} {phrase}"] + [f"{name}: {value}" for name, value in self.headers.items()]
        if self.is_gzipped:
            lines.append("Content-Encoding: gzip")
        if self.is_chunked:
            lines.append("Transfer-Encoding: chunked")
        elif self.has_body and not self.has_no_length:
            length = self.length if self.length is not None else len(self.body) + self.zeros
            lines.append(f"Content-Length: {length}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def pieces(self):
        """The data after the head, in the pieces in which it is sent."""
        if self.raw is not None:
            yield self.raw
            return
        if not self.has_body:
            return
        for piece in self.cut(self.plain()):
            yield b"%x\r\n%b\r\n" % (len(piece), piece) if self.is_chunked else piece
        if self.is_chunked and self.stop_after is None:
            yield b"0\r\n\r\n"

    def cut(self, pieces):
        left = self.stop_after
        for piece in pieces:
            step = self.piece_size or len(piece)
            for start in range(0, len(piece), step):
                part = piece[start : start + step]
                if left is not None:
                    part = part[:left]
                    left -= len(part)
                if part:
                    yield part
                if left == 0:
                    return
