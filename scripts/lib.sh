# scripts/lib.sh: what setup, demo and test have in common.  Sourced, not run.
#
# All of it works as root, which may install packages, and as a normal user
# where the packages are present.  PostgreSQL refuses to run as root, so the
# server and everything that talks to it runs as an unprivileged user then.
# shellcheck shell=bash

set -euo pipefail

LWP_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
LWP_PG_MAJOR=15

lwp_say() { printf '%s\n' "$*" >&2; }

lwp_die() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit "${2:-1}"
}

# Usage errors are exit code 2, with a hint.
lwp_usage_error() {
  printf '%s: %s\nTry "%s --help".\n' "$(basename "$0")" "$1" "$0" >&2
  exit 2
}

# A whole number of at least $3, or a usage error.  $1 names the option.
lwp_need_number() {
  case $2 in
    '' | *[!0-9]*) lwp_usage_error "$1 takes a whole number, not \"$2\"" ;;
  esac
  if [ "${#2}" -gt 9 ] || [ "$2" -lt "$3" ]; then
    lwp_usage_error "$1 must be between $3 and 999999999"
  fi
}

# Packages by purpose.  Nothing is in a later list that an earlier one has.
lwp_packages() {
  case $1 in
    build) echo gcc make libc6-dev "postgresql-server-dev-$LWP_PG_MAJOR" libcapstone-dev libdw-dev \
      libpq-dev libjansson-dev ;;
    demo) echo "postgresql-$LWP_PG_MAJOR" util-linux procps ;;
    test) echo libcmocka-dev libipc-run-perl perl clang clang-format clang-tidy cppcheck shellcheck ;;
  esac
}

lwp_missing_packages() {
  local p
  for p in "$@"; do
    case $(dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null) in
      'ii '*) ;;
      *) printf '%s ' "$p" ;;
    esac
  done
}

# Install what is missing for the given purposes.  Debian's server package
# would create and start a cluster of its own; it is told not to.
lwp_install() {
  local purpose missing wanted=()
  for purpose in "$@"; do
    # shellcheck disable=SC2207
    wanted+=($(lwp_packages "$purpose"))
  done
  missing=$(lwp_missing_packages "${wanted[@]}")
  [ -n "$missing" ] || return 0
  [ "$(id -u)" = 0 ] ||
    lwp_die "packages are missing; as root run: apt-get install --no-install-recommends $missing"
  command -v apt-get >/dev/null || lwp_die "this needs a Debian system (apt-get is missing)"

  lwp_say "installing: $missing"
  local no_cluster=/etc/postgresql-common/createcluster.d/pg_lwprof-setup.conf
  local log
  log=$(mktemp)
  mkdir -p "$(dirname "$no_cluster")"
  echo "create_main_cluster = false" >"$no_cluster"
  # shellcheck disable=SC2086
  if ! { DEBIAN_FRONTEND=noninteractive apt-get update &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
    >"$log" 2>&1; then
    rm -f "$no_cluster"
    tail -n 20 "$log" >&2
    rm -f "$log"
    lwp_die "the packages could not be installed"
  fi
  rm -f "$no_cluster" "$log"
}

# Where the server of our major version lives; PG_CONFIG overrides.
lwp_find_server() {
  PG_CONFIG=${PG_CONFIG:-/usr/lib/postgresql/$LWP_PG_MAJOR/bin/pg_config}
  [ -x "$PG_CONFIG" ] || lwp_die "no pg_config at $PG_CONFIG; set PG_CONFIG"
  export PG_CONFIG
}

lwp_build() {
  lwp_say "building"
  make -s -C "$LWP_ROOT" -j"$(nproc)" PG_CONFIG="$PG_CONFIG" "$@" >&2
}

# --- a private place ---------------------------------------------------------

# Sets LWP_WORK, a directory the unprivileged user owns, and LWP_USER.
lwp_make_work() {
  LWP_WORK=$(mktemp -d "${TMPDIR:-/tmp}/pg_lwprof.XXXXXX")
  chmod 755 "$LWP_WORK"
  if [ "$(id -u)" = 0 ]; then
    LWP_USER=postgres
    id "$LWP_USER" >/dev/null 2>&1 || lwp_die "there is no user \"$LWP_USER\" to run the server as"
    chown "$LWP_USER:" "$LWP_WORK"
  else
    LWP_USER=$(id -un)
  fi
}

# Run a command as the unprivileged user, from a directory it can read.
lwp_as_user() {
  if [ "$(id -u)" = 0 ]; then
    (cd "$LWP_WORK" &&
      exec setpriv --reuid="$LWP_USER" --regid="$LWP_USER" --init-groups \
        env -u PGHOST -u PGPORT -u PGUSER -u PGDATABASE -u PGSERVICE -u PGOPTIONS \
        HOME="$LWP_WORK" PATH="$LWP_BIN:$PATH" "$@")
  else
    (cd "$LWP_WORK" &&
      exec env -u PGHOST -u PGPORT -u PGUSER -u PGDATABASE -u PGSERVICE -u PGOPTIONS \
        PATH="$LWP_BIN:$PATH" "$@")
  fi
}

# A copy of the server below LWP_WORK, with the module installed into the copy:
# PostgreSQL finds its files relative to the executable, so it runs in place,
# and the system's own installation stays as it is.
lwp_private_server() {
  local bin lib share
  bin=$("$PG_CONFIG" --bindir)
  lib=$("$PG_CONFIG" --pkglibdir)
  share=$("$PG_CONFIG" --sharedir)
  LWP_BIN=$LWP_WORK/root$bin
  mkdir -p "$LWP_WORK/root$bin" "$LWP_WORK/root$lib" "$LWP_WORK/root$share"
  cp -a "$bin/." "$LWP_WORK/root$bin/"
  cp -a "$lib/." "$LWP_WORK/root$lib/"
  cp -a "$share/." "$LWP_WORK/root$share/"
  make -s -C "$LWP_ROOT" PG_CONFIG="$PG_CONFIG" install DESTDIR="$LWP_WORK/root" >/dev/null
}

# lwp_init_cluster NAME < settings: a cluster with a unix socket only, in LWP_WORK/NAME.
lwp_init_cluster() {
  local dir=$LWP_WORK/$1
  lwp_as_user initdb -D "$dir" -A trust -U postgres --no-sync -E UTF8 --locale=C.UTF-8 \
    >"$LWP_WORK/initdb.log" 2>&1 || {
    cat "$LWP_WORK/initdb.log" >&2
    lwp_die "initdb failed"
  }
  {
    echo "listen_addresses = ''"
    echo "unix_socket_directories = '$LWP_WORK'"
    cat
  } >>"$dir/postgresql.conf"
}

lwp_start_cluster() {
  lwp_as_user pg_ctl -D "$LWP_WORK/$1" -l "$LWP_WORK/$1.log" -w -s start || {
    tail -n 20 "$LWP_WORK/$1.log" >&2
    lwp_die "the server did not start"
  }
}

lwp_stop_cluster() {
  [ -f "$LWP_WORK/$1/postmaster.pid" ] || return 0
  lwp_as_user pg_ctl -D "$LWP_WORK/$1" -m "${2:-fast}" -w -s stop >/dev/null 2>&1 || true
}

# Servers below LWP_WORK that somebody left running.
lwp_stop_all() {
  local file pid
  find "$LWP_WORK" -name postmaster.pid | while read -r file; do
    pid=$(head -n 1 "$file")
    case $(readlink "/proc/$pid/exe" 2>/dev/null) in
      "$LWP_WORK"/*) kill -QUIT "$pid" 2>/dev/null || continue ;;
      *) continue ;;
    esac
    for _ in $(seq 50); do
      [ -d "/proc/$pid" ] || break
      sleep 0.1
    done
  done
}

lwp_psql() {
  lwp_as_user psql -X -q -h "$LWP_WORK" -U postgres -d postgres -v ON_ERROR_STOP=1 "$@"
}
