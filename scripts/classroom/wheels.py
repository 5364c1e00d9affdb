"""The library as a wheel, made of the files that are here, without a network and without a build program."""

import base64
import hashlib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_TAGS = "Wheel-Version: 1.0\nGenerator: dptutor\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def name() -> str:
    return f"dptutor-{distribution('dptutor').version}-py3-none-any.whl"


def write(folder: Path) -> Path:
    """Writes the wheel of the library into a folder."""
    found = distribution("dptutor")
    about = f"dptutor-{found.version}.dist-info"
    files = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for path in sorted((ROOT / "dptutor").rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    files[f"{about}/METADATA"] = (found.read_text("METADATA") or found.read_text("PKG-INFO") or "").encode()
    files[f"{about}/WHEEL"] = _TAGS.encode()
    files[f"{about}/entry_points.txt"] = b"[console_scripts]\ndptutor = dptutor.command:main\n"
    files[f"{about}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    path = folder / name()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, data in files.items():
            archive.writestr(zipfile.ZipInfo(inside, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return path


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
