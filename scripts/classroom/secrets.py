"""What follows from the secret of a course: the code of a student, the case of the capstone, the examination."""

import hmac
import secrets
from pathlib import Path

from dptutor.exercises.capstone.cases import largest_seed

from .errors import Refused

FILE = "secret.txt"


def drawn() -> str:
    """A new secret."""
    return secrets.token_hex(16)


def read(path: Path) -> str:
    """The secret of a file."""
    try:
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"cannot read the secret {path}: {error}") from None
    if len(secret) < 16:
        raise Refused(f"{path} holds no secret: it must have at least 16 characters")
    return secret


def number(secret: str, purpose: str, student: str) -> int:
    """A number that nobody can tell without the secret."""
    return int(hmac.new(secret.encode(), f"{purpose}\n{student}".encode(), "sha256").hexdigest(), 16)


def code(secret: str, student: str) -> str:
    """What a student's own numbers and points follow from."""
    return f"{number(secret, 'code', student):064x}"[:12]


def case_number(code: str) -> int:
    """The student's case of the capstone."""
    return 1 + int(code, 16) % largest_seed
