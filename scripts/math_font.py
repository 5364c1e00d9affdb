"""Makes the font of the site's formulas, book/_static/fonts/stix-two-math.woff2, of STIXTwoMath-Regular.ttf.

    python scripts/math_font.py STIXTwoMath-Regular.ttf       # from the Python package ziamath 0.13; needs fontTools

It has what formulas are likely to need: letters (upright, italic, script, double-struck, capitals without serifs),
Greek, signs, delimiters in all their sizes. `tests/test_formulas.py` finds what a page needs and the font lacks.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter, parse_unicodes
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables.ttProgram import Program

TARGET = Path(__file__).resolve().parent.parent / "book" / "_static" / "fonts" / "stix-two-math.woff2"
SIGNS = """
20-7E A0 AC AF B0 B1 B7 D7 131 237 2C6 2C7 2D8 2D9 2DC 391-3A9 3B1-3C9 3D1 3D5 3D6 3F1 3F5 2009 200B 2016 2026
2032-2035 2061-2064 2102 210B 210E-2113 2115 2118-211D 2124 212C 2130 2131 2133 2190-2194 21A6 21D0 21D2 21D4 27F8-27FA
2200 2202-2209 220B 220F 2211-2213 2215-221A 221D 221E 2223-222C 2234 223C 2243 2245 2248 2254 2260-2265 226A 226B
227A-227D 2282-2287 2295-2299 22A2-22A5 22C0-22C5 22EE-22F1 2308-230B 25A1 27E8 27E9 2A7D 2A7E 2AAF 2AB0 FE00
1D434-1D467 1D49C-1D4B5 1D538-1D551 1D5A0-1D5B9 1D5BD 1D5CF 1D6E2-1D71B
"""
# A prime is only written as an exponent, and these are those for exponents.
PRIMES = {0x2032: "minute.ssty", 0x2033: "second.ssty"}


def main(source):
    options = Options(hinting=False, layout_features=[], name_IDs=[0, 1, 2, 3, 5, 13, 14], flavor="woff2")
    font = TTFont(source)
    for table in font["cmap"].tables:
        if table.isUnicode() and table.format != 14:
            table.cmap |= PRIMES
    subset = Subsetter(options)
    subset.populate(unicodes=parse_unicodes(",".join(SIGNS.split())))
    subset.subset(font)
    narrowed(font)
    # Letters keep their widths at every size: without hints of its own a font is given some.
    font["prep"] = newTable("prep")
    font["prep"].program = Program()
    font["prep"].program.fromAssembly(["PUSHW[] 511", "SCANCTRL[]", "PUSHB[] 4", "SCANTYPE[]"])
    font.flavor = "woff2"
    font.save(TARGET)


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
