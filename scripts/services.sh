#!/usr/bin/env bash
# Find what the tests drive, a browser and PostgreSQL's programs, and install what is missing where
# that is possible. What was found is written to build/services.env. Usage: services.sh PYTHON
set -eu
python=$1
mkdir -p build
say() { echo "$*" >&2; }

installed=""
apt_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
  export DEBIAN_FRONTEND=noninteractive
  if [ -z "$installed" ]; then
    apt-get update -qq || { say "apt-get update failed (above)"; return 1; }
    installed=yes
  fi
  say "installing $*"
  apt-get install -y -qq --no-install-recommends "$@" >build/apt.log 2>&1 \
    || { tail -n 15 build/apt.log >&2; say "apt-get install $* failed (above)"; return 1; }
}

find_browser() {
  local name
  for name in "${LABKIT_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
    "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
    [ -n "$name" ] && command -v "$name" 2>/dev/null && return 0
  done
  "$python" - <<'PY'
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    path = Path(playwright.chromium.executable_path)
if not path.exists():
    sys.exit(1)
print(path)
PY
}

browser=$(find_browser) || browser=""
if [ -z "$browser" ] && apt_install chromium fonts-dejavu-core; then
  browser=$(find_browser) || browser=""
fi
if [ -z "$browser" ]; then
  say "no Chrome or Chromium here: fetching Playwright's own"
  "$python" -m playwright install chromium >&2 && browser=$(find_browser) || browser=""
fi
if [ -z "$browser" ]; then
  say "no browser for the browser tests; install Chromium or Chrome, or set LABKIT_CHROMIUM to one"
  exit 1
fi

# Debian keeps the server's programs off the PATH; the tests start a server of their own from there
postgres_here() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }
if ! postgres_here; then
  if [ "$(id -u)" = 0 ] && [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  fi
  apt_install postgresql || true
  postgres_here || say "PostgreSQL is not here: the tests that need it are skipped"
fi

printf 'export LABKIT_CHROMIUM=%q\n' "$browser" >build/services.env
