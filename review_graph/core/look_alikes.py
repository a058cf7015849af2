"""Characters that look like ours, and are taken for what they look like."""

from __future__ import annotations

DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212\ufe58\ufe63\uff0d", "-")

_CYRILLIC = dict(
    zip(
        "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405",
        "ABEKMHOPCTXIJS",
        strict=True,
    )
)
_CYRILLIC_SMALL = dict(
    zip(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u04cf\u0501\u051b\u051d\u0475",
        "aeopcyxijshldqwv",
        strict=True,
    )
)
_GREEK = dict(
    zip(
        "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
        "ABEZHIKMNOPTYX",
        strict=True,
    )
)
_GREEK_SMALL = dict(zip("\u03bf\u03b9\u03bd\u03c5\u03c1", "oivup", strict=True))
_ARMENIAN = dict(zip("\u0570\u0578\u057d\u0585", "hnuo", strict=True))
_LATIN = dict(zip("\u0131\u0251\u0261", "iag", strict=True))

LETTERS = str.maketrans(_CYRILLIC | _CYRILLIC_SMALL | _GREEK | _GREEK_SMALL | _ARMENIAN | _LATIN)
"""Letters of other alphabets that are drawn as Latin ones are."""

LOOK_ALIKES = LETTERS | str.maketrans(DASHES)
"""The same with all kinds of dashes."""
