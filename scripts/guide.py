"""The plates of the field guide, book/mechanisms.md, one for each registered mechanism.

A page asks for them by the comment `% plates of all mechanisms`. What they say is in book/mechanisms.yaml; the picture
and the call are the output of `plate`, a function of the page.
"""

import yaml

from content import ROOT

FILE = ROOT / "book" / "mechanisms.yaml"
PLATE = """\
### {title}

```{{code-cell}} ipython3
:tags: [remove-input]

plate("{name}")
```

{releases}

**Used.** {used}

**Its pair** ({exact}). {pair}

**The trap.** {trap}
"""


def families() -> dict[str, dict[str, dict[str, str]]]:
    """By family and by the name of the mechanism, what its plate says."""
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def plates() -> str:
    """All plates, by family, as the source of a page."""
    return "\n".join(
        f"## {family}\n\n" + "\n".join(PLATE.format(name=name, **said) for name, said in members.items())
        for family, members in families().items()
    )
