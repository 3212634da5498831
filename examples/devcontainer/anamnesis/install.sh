#!/bin/sh
# Runs while the image is built. The remote is not known yet: it comes with the container's start, as
# ANAMNESIS_GIT_REMOTE, so that no token ends up in an image.
set -eu
package="${PACKAGE:-anamnesis-memory>=1.0}"
command -v git >/dev/null || { echo "anamnesis needs git in the image" >&2; exit 1; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "anamnesis needs Python 3.11 or newer in the image" >&2
  exit 1
}
place=/usr/local/share/anamnesis
if [ -n "${ANAMNESIS_PREFIX:-}" ]; then
  place="$ANAMNESIS_PREFIX/share/anamnesis"
fi
bin="${ANAMNESIS_PREFIX:-/usr/local}/bin"
python3 -m venv "$place"
"$place/bin/python" -m pip install --quiet --disable-pip-version-check "$package"
mkdir -p "$bin"
ln -sf "$place/bin/anamnesis" "$bin/anamnesis"
