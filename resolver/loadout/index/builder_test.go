package index

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

func TestBuildWarnsWhereALimitOfTheIndexIsNear(t *testing.T) {
	const few, mid = 1000, 100 << 20
	for _, tt := range []struct {
		name string
		Sizes
		want string // severity and a part of the message of each finding
	}{
		{"small", Sizes{Entries: few, Text: 1 << 20}, ""},
		{"what was refused once", Sizes{Entries: 120_000, Text: 68 << 20}, ""},
		{"just below", Sizes{Entries: 799_999, Text: 204 << 20}, ""},
		{"entries near", Sizes{Entries: 800_000, Text: mid}, "warning at most 1000000 will be read"},
		{"as many as are read", Sizes{Entries: indexjson.MaxEntries, Text: mid}, "warning at most 1000000 will be read"},
		{"left out", Sizes{Entries: indexjson.MaxEntries + 1, LeftOut: true}, "warning no index.json: the index has 1000001 entries"},
		{"near what is fetched", Sizes{Entries: few, Text: 210 << 20}, "warning will fetch at most 256 MiB"},
		{"more than is fetched", Sizes{Entries: few, Text: indexjson.MaxFetched + 1}, "warning fetch at most 256 MiB"},
		{"text near", Sizes{Entries: few, Text: 900 << 20}, "warning at most 1 GiB will be read"},
		{"text left out", Sizes{Entries: few, LeftOut: true}, "warning at most 1000000, in 1 GiB, are read"},
		{"both", Sizes{Entries: 900_000, Text: 900 << 20}, "warning will be read|warning at most 1 GiB will be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := Oversize(tt.Sizes)
			want := strings.Split(tt.want, "|")
			if tt.want == "" {
				want = nil
			}
			if len(list) != len(want) {
				t.Fatalf("findings %v", list)
			}
			for i, d := range list {
				severity, part, _ := strings.Cut(want[i], " ")
				if tt.LeftOut != strings.Contains(d.Hint, "--from DIR") {
					t.Errorf("the hint is %q", d.Hint)
				}
				if d.Severity.String() != severity || !strings.Contains(d.Message, part) || d.ID != idOversize || d.Severity == diag.Info {
					t.Errorf("got %s %q, want %s", d.Severity, d.Message, want[i])
				}
			}
		})
	}
}
