"""Names the test files that a change touches: those changed, and those named after a changed file or its folder.

python scripts/quick.py          since the branch main
python scripts/quick.py COMMIT   since another commit
"""

import subprocess
import sys
from pathlib import PurePath

from content import ROOT


def main(arguments: list[str]) -> None:
    since = arguments[0] if arguments else "main"
    base = git("merge-base", since, "HEAD")[0]
    changed = {*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")}
    names = {name for file in changed for name in about(PurePath(file))}
    print(*sorted(f"tests/test_{name}.py" for name in names if (ROOT / f"tests/test_{name}.py").is_file()))


def about(file: PurePath) -> set[str]:
    """What a test of this file would be named after."""
    return {part.removeprefix("test_").lstrip("_") for part in (*file.parent.parts, file.stem)}


def git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]


if __name__ == "__main__":
    main(sys.argv[1:])
