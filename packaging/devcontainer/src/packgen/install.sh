#!/bin/sh
# The dev container feature: options arrive as environment variables. It runs the
# installer of the same repository, which checks what it downloads.
set -eu

version=${VERSION:-latest}
if [ "$version" = latest ]; then version=; fi
if ! command -v curl >/dev/null 2>&1 && ! command -v wget >/dev/null 2>&1; then
  export DEBIAN_FRONTEND=noninteractive
  if command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends ca-certificates curl
  elif command -v apk >/dev/null 2>&1; then
    apk add --no-cache ca-certificates curl
  fi
fi
# install.sh of the repository is copied beside this file when the feature is published.
PACKGEN_VERSION=$version PACKGEN_INSTALL_DIR=/usr/local/bin sh "$(dirname "$0")/packgen-install.sh"
