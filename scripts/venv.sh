#!/usr/bin/env bash
# Make a virtual environment where Python came without ensurepip (Debian splits it off).
set -eu
python=$1 venv=$2
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "python$version-venv" >/dev/null
  exec "$python" -m venv "$venv"
fi
echo "$python has no venv module; install it (Debian, Ubuntu: apt install python3-venv) and try again" >&2
exit 1
