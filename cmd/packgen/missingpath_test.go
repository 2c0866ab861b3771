package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
)

// A path that is named and does not exist reads the same in every command: what is not where,
// then the fix.
func TestMissingPathReadsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	dir, env := packgentest.Repository(t), cacheOf(t)
	form := regexp.MustCompile(`(?m)^packgen: error: no [a-zA-Z., ]+ at (\S*/)?none\S*\n    (fix: )?\S`)
	for line := range strings.Lines(`match --index none.json x
usage dead --index none.json
eval --index none.json
eval --suite none.json
check --index none.json
check --record none.json
diff none.json none.bin
hook test --index none.json
hook test --project none
build --config none.yaml
-C none build
usage report --usage none.jsonl
boot --role none
boot --role packs/p --allow-root none
memory index none/MEMORY.md
memory check none.md
memory publish --store none
rules analyze none.md
rules index --rules-dir none
init --from none
import skills none
import okf none
verify none
verify none.tar.gz
pull none
pull none.tar.gz
resolve --from none x
match --from none x
lock update none
prune runs --overlay none
`) {
		args := append([]string{"-C", dir}, strings.Fields(line)...)
		code, stdout, stderr := runIn(t, env, args...)
		if code != exitMisuse || stdout != "" || !form.MatchString(stderr) || strings.Contains(stderr, "not found") {
			t.Errorf("packgen %sexit code %d\n%s%s", line, code, stdout, stderr)
		}
	}
}
