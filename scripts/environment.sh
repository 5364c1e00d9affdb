# Makes or completes the environment .venv; with the argument "tests" also what only the tests need.
# Progress goes to stderr. Where something is missing, stdout says in one line what to do.

wanted=requirements.txt
stamp=.venv/ready
if [ "$1" = tests ]; then
    wanted=tests/requirements.txt
    stamp=.venv/ready-for-tests
fi

# The installation is complete when it was made here, from the files as they are now.
now="$PWD $(cat pyproject.toml constraints.txt "$wanted" | cksum)"
[ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && [ -x .venv/bin/python ] && exit 0

recent='import sys; sys.exit(sys.version_info < (3, 11))'

if ! .venv/bin/python -c "$recent" 2>/dev/null || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    set -- python3 python3.14 python3.13 python3.12 python3.11 python
    [ -n "$PYTHON" ] && set -- "$PYTHON"
    for python; do
        "$python" -c "$recent" 2>/dev/null && break
        python=
    done
    if [ -z "$python" ]; then
        echo "no Python 3.11 or newer found as ${PYTHON:-python3}: install one, or name it, as in 'make book PYTHON=/path/to/python3'"
        exit
    fi
    if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
        echo "$python lacks the venv module: install it (on Debian and Ubuntu 'apt-get install python3-venv'), then run make again"
        exit
    fi
    echo "Creating the environment .venv with $("$python" --version) ..." >&2
    if ! "$python" -m venv --clear .venv >&2; then
        echo "cannot create the environment .venv here, see above: is the folder writable, and is there space on the disk?"
        exit
    fi
fi

log=.venv/install.log
pip=".venv/bin/python -m pip install --no-input --disable-pip-version-check --retries 2"

# uv takes seconds where pip takes minutes. Of pip's settings it is told the index; where it fails, pip goes on.
fast() {
    $pip --only-binary uv -c constraints.txt uv || return
    index=$(.venv/bin/python -m pip config list | sed -n "s/^.*[.]index-url='\(.*\)'$/\1/p" | tail -n 1)
    [ -n "$index" ] && export UV_DEFAULT_INDEX="$index"
    .venv/bin/uv pip install --python .venv/bin/python --compile-bytecode -r "$wanted"
}

echo "Installing what $wanted lists into .venv (once, about a minute) ..." >&2
if ! fast >"$log" 2>&1 && ! $pip -r "$wanted" >>"$log" 2>&1; then
    echo "the installation failed: is there a network? If so, run make again. Details: $log"
    exit
fi
# Else the first chapter built would wait for it, and say so on the page.
MPLCONFIGDIR=_build/.matplotlib .venv/bin/python -c 'import matplotlib.font_manager' 2>>"$log"
echo "$now" >"$stamp"
