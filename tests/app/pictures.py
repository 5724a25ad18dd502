"""pictures.py: small image files, written and read with the standard library alone."""
import ast
import struct
import zlib

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # by channels: gray, gray and alpha, RGB, RGB and alpha


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_header(width, height, channels=1, bits=8):
    return png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, PNG_COLOUR_TYPES[channels], 0, 0, 0))


def png(rows, bits=8, chunks=b""):
    """A PNG of rows of pixels, each a tuple of channels or a number; `chunks` go in front of the pixels."""
    rows = [[pixel if isinstance(pixel, tuple) else (pixel,) for pixel in row] for row in rows]
    element = "B" if bits == 8 else "H"
    raw = b"".join(b"\0" + b"".join(struct.pack(f">{len(pixel)}{element}", *pixel) for pixel in row) for row in rows)
    header = png_header(len(rows[0]), len(rows), len(rows[0][0]), bits)
    return PNG_SIGNATURE + header + chunks + png_chunk(b"IDAT", zlib.compress(raw)) + png_chunk(b"IEND", b"")


def png_chunks(data):
    """The chunks of a PNG by kind, pixel data joined."""
    assert data[:8] == PNG_SIGNATURE, data[:8]
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        kind = data[at + 4:at + 8]
        chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + length]
        at += 12 + length
    return chunks


def paeth(left, up, corner):
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))


def read_png(data):
    """Rows of pixels as tuples, and bits, of a PNG without interlacing or palette."""
    chunks = png_chunks(data)
    width, height, bits, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    channels = {kind: count for count, kind in PNG_COLOUR_TYPES.items()}[colour]
    pixel_bytes = channels * bits // 8
    raw = zlib.decompress(chunks[b"IDAT"])
    stride = width * pixel_bytes
    rows, above = [], bytes(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            left = line[i - pixel_bytes] if i >= pixel_bytes else 0
            corner = above[i - pixel_bytes] if i >= pixel_bytes else 0
            guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind]
            line[i] = (line[i] + guess) & 255
        above = bytes(line)
        values = struct.unpack(f">{width * channels}{'B' if bits == 8 else 'H'}", above)
        rows.append([values[i:i + channels] for i in range(0, len(values), channels)])
    return rows, bits


# NumPy's types as struct has them.
ELEMENTS = {"f2": "e", "f4": "f", "f8": "d", "u1": "B", "i1": "b", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}


def npy(values, shape, descr="<f4"):
    """An array of NumPy's format 1.0, C order."""
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    element = ELEMENTS[descr[1:]]
    return (b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack(f"<{len(values)}{element}", *values))


def read_npy(data):
    """Values, shape and type of a little-endian array in C order."""
    (length,) = struct.unpack("<H", data[8:10])
    header = ast.literal_eval(data[10:10 + length].decode())
    element = ELEMENTS[header["descr"][1:]]
    count = 1
    for extent in header["shape"]:
        count *= extent
    values = struct.unpack(f"<{count}{element}", data[10 + length:])
    return list(values), header["shape"], header["descr"][1:]


def tiff(pages, samples=1, photometric=1, more=()):
    """A little-endian TIFF of 8-bit pages (gray unless told otherwise), each a list of rows of samples; `more` entries, in order, follow."""
    data = b"II*\0\0\0\0\0"
    link = 4  # where the offset of the next directory goes
    for rows in pages:
        pixels = b"".join(bytes(row) for row in rows)
        bits = 8 if samples == 1 else len(data)
        data += struct.pack(f"<{samples}H", *[8] * samples)
        entries = [(256, 4, 1, len(rows[0]) // samples), (257, 4, 1, len(rows)), (258, 3, samples, bits), (259, 3, 1, 1),
                   (262, 3, 1, photometric), (273, 4, 1, len(data)), (277, 3, 1, samples), (278, 4, 1, len(rows)),
                   (279, 4, 1, len(pixels)), *more]
        data += pixels + b"\0" * (len(pixels) % 2)
        data = data[:link] + struct.pack("<I", len(data)) + data[link + 4:]
        data += struct.pack("<H", len(entries))
        data += b"".join(struct.pack("<HHII", *entry) for entry in entries)
        link = len(data)
        data += b"\0\0\0\0"
    return data


def tiff_pages(data):
    """How many pages a little-endian TIFF has."""
    assert data[:4] == b"II*\0", data[:4]
    pages, at = 0, struct.unpack("<I", data[4:8])[0]
    while at:
        (entries,) = struct.unpack("<H", data[at:at + 2])
        at = struct.unpack("<I", data[at + 2 + 12 * entries:at + 6 + 12 * entries])[0]
        pages += 1
    return pages


def icc_profile(space, name=b""):
    """A small profile that says of which colours it is, with a copyright and, where it is named, a description: text, or a list of them."""
    tags = [(b"cprt", b"text\0\0\0\0none\0\0\0\0")]
    if name:
        tags.append((b"desc", name if name[:4] == b"mluc" else b"desc\0\0\0\0" + struct.pack(">I", len(name) + 1) + name + bytes(79)))
    at, table, data = 128 + 4 + 12 * len(tags), struct.pack(">I", len(tags)), b""
    for kind, value in tags:
        table += struct.pack(">4sII", kind, at + len(data), len(value))
        data += value + bytes(-len(value) % 4)
    header = struct.pack(">I4sI4s4s4s", at + len(data), b"none", 0x02100000, b"mntr", space, b"XYZ ").ljust(36, b"\0") + b"acsp"
    header = header.ljust(68, b"\0") + struct.pack(">III", 0xF6D6, 0x10000, 0xD32D)
    return header.ljust(128, b"\0") + table + data
