"""Makes the fonts of the site, book/_static/fonts/*.woff2: small for what most pages say, and the rest of each apart.

    python scripts/fonts.py math STIXTwoMath-Regular.ttf   # from the Python package ziamath 0.13
    python scripts/fonts.py text FOLDER                    # of @fontsource/stix-two-text, @fontsource/source-sans-3

A browser loads a second file (`-more`) when a sign of it is to be shown, by the ranges in site.css. Formulas have
letters (upright, italic, script, double-struck, capitals without serifs), Greek, signs, delimiters in all their sizes;
texts have what Western languages write. `tests/test_pages.py` finds what a page needs and the fonts lack.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter, parse_unicodes
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables.ttProgram import Program

FONTS = Path(__file__).resolve().parent.parent / "book" / "_static" / "fonts"
TEXT = ["stix-two-text-latin-400-normal", "stix-two-text-latin-400-italic", "stix-two-text-latin-600-normal",
        "stix-two-text-latin-600-italic", "source-sans-3-latin-400-normal", "source-sans-3-latin-400-italic",
        "source-sans-3-latin-600-normal", "stix-two-text-greek-400-normal", "stix-two-text-greek-400-italic",
        "source-sans-3-greek-400-normal", "source-sans-3-greek-600-normal"]  # fmt: skip

# What formulas of the book are written with, and what else they may be.
SIGNS = """
20-7E A0 AC AF B1 B7 D7 2C6 2D8 2DC 391-3A1 3A3-3A9 3B1-3C9 3D1 3D5 3F5 2009 200B 2016 2026 2032 2033 2061-2064 2070
2074-207B 207F 2080-2089 210E 2113 211D 2133 2190-2194 21A6 27FA 2200 2202-2203 2208 2209 2211-2213 2215-221A 221D 221E
2223-2225 2227-222B 223C 2248 2260 2261 2264 2265 2282 2283 2286 2287 2295 2297 22A4 22A5 22C0-22C3 22C5 22EF 2308-230B
27E8 27E9 2AAF 2AB0 FE00 1D434-1D467 1D49F 1D4A9 1D53C 1D5A0 1D5A7 1D5B3 1D5B5 1D5BD 1D5CF 1D6E2-1D71B
"""
MORE_SIGNS = """
B0 131 237 2C7 2D9 3D6 3F1 2034 2035 2102 210B 210F-2112 2115 2118-211C 2124 212C 2130 2131 21D0 21D2 21D4 27F8 27F9
2204-2207 220B 220F 2226 222C 2234 2243 2245 2254 2262 2263 226A 226B 227A-227D 2284 2285 2296 2298 2299 22A2 22A3
22C4 22EE 22F0 22F1 25A1 2A7D 2A7E 1D49C-1D4B5 1D538-1D551 1D5A1-1D5B9
"""
# What English needs, with the names and signs that the book has; and the rest of Latin-1.
LETTERS = """
20-7E A0 A7 A9 AB B0-B3 B6 B7 B9 BB-BE D6 D7 E4 E8 E9 ED F1 F6 F7 FA FC 2C6 2DC 2009 2013 2014 2018-201A 201C-201E
2022 2026 2032 2033 2039 203A 2212 2215
"""
MORE_LETTERS = """
A1-A6 A8 AA AC-AF B4 B5 B8 BA BF C0-D5 D8-E3 E5-E7 EA-EC EE-F0 F2-F5 F8 F9 FB FD-FF 131 152 153 2DA 20AC 2122
"""
# Small Greek letters are symbols, in italics; upright are capitals alone.
CAPITALS, SMALL = "391-3A1 3A3-3A9", " 3B1-3C9 3D1 3D5 3D6 3F0 3F1 3F5"
FEATURES = ["kern", "liga", "lnum", "tnum", "mark", "ccmp", "locl"]
# A prime is only written as an exponent, and these are those for exponents.
PRIMES = {0x2032: "minute.ssty", 0x2033: "second.ssty"}


def main(kind, source):
    if kind == "math":
        math(source, SIGNS, "stix-two-math")
        math(source, MORE_SIGNS, "stix-two-math-more")
    for name in TEXT if kind == "text" else []:
        for signs, more in (
            ((CAPITALS + SMALL * ("italic" in name), ""),)
            if "greek" in name
            else ((LETTERS, ""), (MORE_LETTERS, "-more"))
        ):
            font = TTFont(next(Path(source).rglob(f"{name}.woff2")), recalcTimestamp=False)
            # Hints are kept, so that letters keep their widths.
            subset(font, signs, Options(layout_features=FEATURES))
            font.save(FONTS / f"{name}{more}.woff2")


def math(source, signs, name):
    font = TTFont(source, recalcTimestamp=False)
    for table in font["cmap"].tables:
        if table.isUnicode() and table.format != 14:
            table.cmap |= PRIMES
    subset(font, signs, Options(hinting=False, layout_features=[], name_IDs=[0, 1, 2, 3, 5, 13, 14]))
    if 0x221A in font.getBestCmap():
        narrowed(font)
    # Letters keep their widths at every size: without hints of its own a font is given some.
    font["prep"] = newTable("prep")
    font["prep"].program = Program()
    font["prep"].program.fromAssembly(["PUSHW[] 511", "SCANCTRL[]", "PUSHB[] 4", "SCANTYPE[]"])
    font.save(FONTS / f"{name}.woff2")


def subset(font, signs, options):
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=parse_unicodes(",".join(signs.split())))
    subsetter.subset(font)
    font.flavor = "woff2"


def narrowed(font):
    """Roots of all heights as wide as the lowest: a browser leaves as much room as the widest of them takes."""
    root = font.getBestCmap()[0x221A]
    variants = font["MATH"].table.MathVariants
    made = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(root)]
    higher = [record.VariantGlyph for record in made.MathGlyphVariantRecord[1:]]
    width, _ = font["hmtx"][root]
    for name in [*higher, *(part.glyph for part in made.GlyphAssembly.PartRecords)]:
        glyph, (wide, left) = font["glyf"][name], font["hmtx"][name]
        glyph.coordinates.scale((width / wide, 1))
        glyph.coordinates.toInt()
        glyph.recalcBounds(font["glyf"])
        font["hmtx"][name] = width, round(left * width / wide)


if __name__ == "__main__":
    main(*sys.argv[1:])
