"""The plates of the field guide, book/mechanisms.md.

A page asks for them by the comment `% plates of all mechanisms`. What they say is in book/mechanisms.yaml; the picture
and the call are the output of `plate`, a function of the page. Registered mechanisms without a plate are listed.
"""

import yaml

import dptutor as dp
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

BARE = """\
## Without a plate

These mechanisms of the library have no plate yet, only an entry in the reference: {links}.
"""


def families() -> dict[str, dict[str, dict[str, str]]]:
    """By family and by the name of the mechanism, what its plate says."""
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def linked(names: list[str]) -> str:
    """Links to the entries of mechanisms in the reference."""
    return ", ".join(f"{{py:obj}}`dp.{name} <dptutor.{name}>`" for name in names)


def plates() -> str:
    """All plates, by family, as the source of a page, and links to the mechanisms that have none."""
    known = families()
    parts = [
        f"## {family}\n\n" + "\n".join(PLATE.format(name=name, **said) for name, said in members.items())
        for family, members in known.items()
    ]
    bare = [name for name in dp.mechanisms.registry.__all__ if not any(name in members for members in known.values())]
    return "\n".join(parts + [BARE.format(links=linked(bare))] * bool(bare))
