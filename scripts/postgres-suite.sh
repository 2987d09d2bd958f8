# scripts/postgres-suite.sh: PostgreSQL's own test suites.  Sourced, not run.
#
# Fetches the source and the binaries of one version of Debian's PostgreSQL with
# a private apt directory, whose sources are those of this machine's own apt
# configuration, and keeps them in CACHE.  The installed PostgreSQL is not touched:
# the fetched one runs in place.
#
# Afterwards: suite_version, suite_major, suite_bin (root of the binaries),
# suite_src (of the source).
# shellcheck shell=bash

suite_version=${VERSION:-15.18-0+deb12u1}
suite_major=${suite_version%%.*}
suite_cache=${CACHE:-$LWP_ROOT/build/postgres-suite}
suite_bin=$suite_cache/bin-$suite_version
suite_src=$suite_cache/src-$suite_version

# apt with its own lists, cache and state
suite_apt() {
  local cmd=$1
  shift
  "$cmd" -q -o Dir::State="$suite_cache/apt/state" -o Dir::State::status="$suite_cache/apt/status" \
    -o Dir::Cache="$suite_cache/apt/cache" -o Dir::Etc::sourceparts="$suite_cache/apt/sources.list.d" \
    -o Dir::Etc::sourcelist=/dev/null -o APT::Sandbox::User= -o Acquire::Retries=3 "$@"
}

# The machine's Debian sources, with source packages.
suite_prepare_apt() {
  local f
  mkdir -p "$suite_cache"/apt/{state/lists/partial,cache/archives/partial,sources.list.d}
  : >"$suite_cache/apt/status"
  for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [ -s "$f" ] && grep -q debian "$f" || continue
    case $f in
      *.sources) sed 's/^Types:.*/Types: deb deb-src/' "$f" \
        >"$suite_cache/apt/sources.list.d/$(basename "$f")" ;;
      *.list) { grep '^deb ' "$f"; sed -n 's/^deb /deb-src /p' "$f"; } \
        >"$suite_cache/apt/sources.list.d/$(basename "$f")" ;;
    esac
  done
  suite_apt apt-get update >"$suite_cache/apt/update.log" 2>&1 || {
    cat "$suite_cache/apt/update.log" >&2
    lwp_die "the package lists could not be fetched"
  }
}

suite_fetch() {
  [ ! -d "$suite_bin" ] || [ ! -d "$suite_src" ] || return 0
  suite_prepare_apt
  if [ ! -d "$suite_bin" ]; then
    lwp_say "fetching PostgreSQL $suite_version"
    rm -rf "$suite_bin.new"
    mkdir -p "$suite_bin.new"
    (
      cd "$suite_bin.new"
      suite_apt apt-get download "postgresql-$suite_major=$suite_version" \
        "postgresql-client-$suite_major=$suite_version" \
        "postgresql-server-dev-$suite_major=$suite_version" "libpq5=$suite_version" >&2
      for d in *.deb; do dpkg-deb -x "$d" .; done
      rm -f -- *.deb
    )
    mv "$suite_bin.new" "$suite_bin"
  fi
  if [ ! -d "$suite_src" ]; then
    lwp_say "fetching the source of PostgreSQL $suite_version"
    rm -rf "$suite_src.new"
    mkdir -p "$suite_src.new"
    (
      cd "$suite_src.new"
      suite_apt apt-get source --download-only "postgresql-$suite_major=$suite_version" >&2
      tar -xf ./*.orig.tar.* --strip-components=1 --wildcards \
        '*/src/bin/pgbench/t' '*/src/test/perl' '*/src/test/regress' '*/src/test/isolation'
      rm -f -- *.tar.* *.dsc
    )
    mv "$suite_src.new" "$suite_src"
  fi
}
