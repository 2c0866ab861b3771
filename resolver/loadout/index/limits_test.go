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
		{"small", Sizes{few, 1 << 20}, ""},
		{"what was refused once", Sizes{120_000, 68 << 20}, ""},
		{"just below", Sizes{799_999, 204 << 20}, ""},
		{"entries near", Sizes{800_000, mid}, "warning at most 1000000 will be read"},
		{"as many as are read", Sizes{indexjson.MaxEntries, mid}, "warning at most 1000000 will be read"},
		{"one more", Sizes{indexjson.MaxEntries + 1, mid}, "error at most 1000000 are read"},
		{"near what is fetched", Sizes{few, 210 << 20}, "warning will fetch at most 256 MiB"},
		{"more than is fetched", Sizes{few, indexjson.MaxFetched + 1}, "warning fetch at most 256 MiB"},
		{"text near", Sizes{few, 900 << 20}, "warning at most 1 GiB will be read"},
		{"text beyond", Sizes{few, indexjson.MaxIndex + 1}, "error at most 1 GiB are read"},
		{"both", Sizes{900_000, 900 << 20}, "warning will be read|warning at most 1 GiB will be read"},
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
				if d.Severity.String() != severity || !strings.Contains(d.Message, part) || d.ID != idOversize || d.Severity == diag.Info {
					t.Errorf("got %s %q, want %s", d.Severity, d.Message, want[i])
				}
			}
		})
	}
}
