#!/bin/sh
# Installs Anamnesis into an environment of its own: for the devcontainer feature while the image is built, and for
# the GitHub action. The remote is not known yet: it comes with the start of the container, as ANAMNESIS_GIT_REMOTE,
# so that no token ends up in an image.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fail() {
  echo "anamnesis: $1" >&2
  exit 1
}
command -v git >/dev/null || fail "git is needed in the image"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed in the image"

# By default a wheel that was put beside this script, or else the checkout that the script is part of.
package="${PACKAGE:-$(find "$here" -maxdepth 1 -name 'anamnesis_memory-*.whl' | tail -n 1)}"
if [ -z "$package" ]; then
  package="$here/../../.."
  [ -e "$package/pyproject.toml" ] ||
    fail "nothing to install: put a wheel beside $here/install.sh, or name a package (a path, a git address, a wheel)"
fi
if [ -n "${INDEX:-}" ]; then
  export PIP_INDEX_URL="$INDEX"
fi

prefix="${ANAMNESIS_PREFIX:-/usr/local}"
place="$prefix/share/anamnesis"
python3 -m venv "$place"
"$place/bin/python" -m pip install --quiet --disable-pip-version-check "$package"
"$place/bin/anamnesis" attach --help >/dev/null 2>&1 ||
  fail "$package has no \`attach\`: anamnesis-memory 0.1.x is an earlier program"
mkdir -p "$prefix/bin"
ln -sf "$place/bin/anamnesis" "$prefix/bin/anamnesis"
