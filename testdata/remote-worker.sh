#!/usr/bin/env bash
# Compiles Bazel's remote worker, a small service of the Remote Execution API, from what
# Debian's packages bazel-bootstrap and bazel-bootstrap-source install, into a directory:
#
#   testdata/remote-worker.sh DIR
#
# and prints the command that starts it. Bazel itself cannot build it there: its rules
# fetch archives. The classes of the server are all it needs, so javac is enough.
set -euo pipefail
dir=${1:?name a directory for the classes}
server=/usr/share/bazel/A-server.jar
source=/usr/src/bazel-bootstrap/src/tools/remote/src/main/java
for need in "$server" "$source"; do
  [ -e "$need" ] || { echo "$need is missing: apt-get install bazel-bootstrap bazel-bootstrap-source" >&2; exit 1; }
done
mkdir -p "$dir"
find "$source" -name '*.java' -print0 | xargs -0 javac -nowarn -proc:none -d "$dir" -cp "$server" 2>"$dir/javac.log" || { cat "$dir/javac.log" >&2; exit 1; }
echo "java -Xmx512m -cp $server:$dir com.google.devtools.build.remote.worker.RemoteWorker"
