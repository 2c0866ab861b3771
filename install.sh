#!/bin/sh
# Installs packgen, packgen-hook and packgen-sign from a release. The archive is checked against
# the checksums of the release before anything of it is unpacked, and nothing of it
# runs before that.
#
#   curl -fsSL https://raw.githubusercontent.com/packgen/packgen/main/install.sh | sh
#
# PACKGEN_VERSION      the release, such as 0.1.0; without one, the newest
# PACKGEN_INSTALL_DIR  where the programs go; without one, ~/.local/bin
# PACKGEN_REPOSITORY   the repository on github.com; a fork names itself
#
# Everything is in a function that the last line calls: a download that breaks off
# runs nothing.
set -eu

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

# download FILE ADDRESS; release addresses redirect, but never from https to http.
download() {
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --proto "$scheme" --retry 3 --max-time 300 --max-filesize 209715200 --output "$1" "$2"
  elif command -v wget >/dev/null 2>&1; then
    https_only=
    if wget --help 2>&1 | grep -q -- --https-only && [ "$scheme" = '=https' ]; then https_only=--https-only; fi
    wget --quiet $https_only -O "$1" "$2"
  else
    fail 'neither curl nor wget is installed'
  fi
}

sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1"
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 <"$1"
  else
    openssl dgst -sha256 -r "$1"
  fi | cut -d ' ' -f 1
}

# An archive is named by its version, and a release by its tag: with no version
# given, checksums.txt of the newest release says which it is.
install() {
  repository=${PACKGEN_REPOSITORY:-packgen/packgen}
  version=${PACKGEN_VERSION:-}
  version=${version#v}
  directory=${PACKGEN_INSTALL_DIR:-${HOME:?}/.local/bin}

  case $repository in
    */*/* | /* | */ | *[!0-9A-Za-z._/-]*) fail "PACKGEN_REPOSITORY is $repository, and has to be OWNER/REPOSITORY" ;;
    */*) ;;
    *) fail "PACKGEN_REPOSITORY is $repository, and has to be OWNER/REPOSITORY" ;;
  esac
  case $version in
    *[!0-9A-Za-z.-]*) fail "PACKGEN_VERSION is $version, and has to be the version of a release, such as 0.1.0" ;;
  esac
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "no archive is made for $(uname -s); on Windows use scoop or npm" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "no archive is made for $(uname -m)" ;;
  esac

  releases=${PACKGEN_RELEASES_URL:-https://github.com/$repository/releases}
  case $releases in
    http://127.0.0.1:*) scheme='=http' ;;
    https://*) scheme='=https' ;;
    *) fail "PACKGEN_RELEASES_URL is $releases, and has to begin with https" ;;
  esac
  if [ -n "$version" ]; then from=$releases/download/v$version; else from=$releases/latest/download; fi

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM

  download "$work/checksums.txt" "$from/checksums.txt" || fail "checksums.txt could not be downloaded from $from"
  archive=$(awk -v end="_${os}_$arch.tar.gz" '
    { name = $2; sub(/^\*/, "", name) }
    name ~ /^packgen_[0-9A-Za-z.-]+_[a-z]+_[a-z0-9]+\.tar\.gz$/ && substr(name, length(name) - length(end) + 1) == end { print name; exit }
  ' "$work/checksums.txt")
  [ -n "$archive" ] || fail "the release at $from has no archive for $os on $arch"
  want=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1; exit }' "$work/checksums.txt")
  download "$work/$archive" "$from/$archive" || fail "$archive could not be downloaded from $from"
  got=$(sha256 "$work/$archive")
  [ "$got" = "$want" ] || fail "$archive has the SHA-256 $got, and checksums.txt says $want; nothing is installed"

  mkdir "$work/programs"
  tar -xzf "$work/$archive" -C "$work/programs" packgen packgen-hook packgen-sign
  mkdir -p -- "$directory"
  for program in packgen packgen-hook packgen-sign; do
    chmod 755 "$work/programs/$program"
    # Renamed within one directory, so that a program that is running keeps its file.
    cp "$work/programs/$program" "$directory/.$program.new"
    mv -f "$directory/.$program.new" "$directory/$program"
  done
  printf '%s is in %s\n' "$("$directory/packgen" version | head -n 1)" "$directory"
  case :$PATH: in
    *:"$directory":*) ;;
    *) printf 'put %s on your PATH: export PATH="%s:$PATH"\n' "$directory" "$directory" ;;
  esac
}

install
