#!/bin/sh
# Makes the npm packages from the archives of a release: make.sh VERSION DIST. DIST/npm
# gets packgen, which is a few lines of script, and a package a platform with the
# programs. Nothing is published here.
set -eu

version=$1
dist=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$dist/npm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$out"
mkdir -p "$out"

about() {
  printf '  "version": "%s",\n  "license": "MIT",\n  "homepage": "https://github.com/packgen/packgen",\n' "$version"
  printf '  "repository": {"type": "git", "url": "git+https://github.com/packgen/packgen.git"},\n'
}

platforms=
for archive in "$dist"/packgen_"$version"_*.tar.gz; do
  platform=${archive##*/packgen_"$version"_}
  platform=${platform%.tar.gz}
  os=${platform%_*}
  cpu=${platform#*_}
  case $os in windows) os=win32 ;; esac
  case $cpu in amd64) cpu=x64 ;; esac
  package=$work/$os-$cpu
  mkdir -p "$package/bin" "$work/archive"
  tar -xzf "$archive" -C "$work/archive"
  for program in packgen packgen-hook packgen-sign; do
    if [ "$os" = win32 ]; then program=$program.exe; fi
    cp "$work/archive/$program" "$package/bin/$program"
    chmod 755 "$package/bin/$program"
  done
  cp "$work/archive/LICENSE" "$package/LICENSE"
  {
    printf '{\n  "name": "@packgen/%s-%s",\n  "description": "The programs of packgen for %s on %s.",\n' "$os" "$cpu" "$os" "$cpu"
    about
    printf '  "os": ["%s"],\n  "cpu": ["%s"],\n  "files": ["bin"],\n  "preferUnplugged": true\n}\n' "$os" "$cpu"
  } >"$package/package.json"
  (cd "$package" && npm pack --silent --pack-destination "$out" >/dev/null)
  rm -rf "$work/archive"
  platforms="$platforms $os-$cpu"
done
[ -n "$platforms" ] || { echo "make.sh: $dist has no archive of version $version; make dist makes them" >&2; exit 1; }

package=$work/packgen
mkdir -p "$package"
cp "$here/run.js" "$here/packgen.js" "$here/packgen-hook.js" "$here/README.md" "$here/../../LICENSE" "$package"
{
  printf '{\n  "name": "packgen",\n  "description": "Build tool for agent knowledge: compiles Markdown knowledge packs for agents and people.",\n'
  about
  printf '  "keywords": ["knowledge", "agents", "markdown", "mcp", "documentation"],\n'
  printf '  "bin": {"packgen": "packgen.js", "packgen-hook": "packgen-hook.js"},\n'
  printf '  "files": ["run.js", "packgen.js", "packgen-hook.js"],\n  "engines": {"node": ">=18"},\n  "optionalDependencies": {'
  separator=
  for platform in $platforms; do
    printf '%s\n    "@packgen/%s": "%s"' "$separator" "$platform" "$version"
    separator=,
  done
  printf '\n  }\n}\n'
} >"$package/package.json"
(cd "$package" && npm pack --silent --pack-destination "$out" >/dev/null)
ls "$out"
