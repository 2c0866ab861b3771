package oktest

import (
	"os"
	"path/filepath"
	"testing"
)

func TestATestLogKeepsWhatCounts(t *testing.T) {
	for name, tt := range map[string]struct{ log, want string }{
		"outside and twice": {
			"# test log\ngetenv HOME\nopen /m/a\nstat /tmp/x/a\nopen testdata/b\nopen /tmp/x\nopen /m/a\nopen /mm/a\nstat /m\n",
			"# test log\ngetenv HOME\nopen /m/a\nopen testdata/b\nstat /m\n",
		},
		"relative to another directory": {
			"# test log\nchdir /tmp\nopen /tmp/x\nopen a\n",
			"# test log\nchdir /tmp\nopen /tmp/x\nopen a\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			Check(t, os.WriteFile(log, []byte(tt.log), 0o666))
			Check(t, dropInputsOutside("/m", log))
			if got := string(Value(os.ReadFile(log))(t)); got != tt.want {
				t.Errorf("%q, not %q", got, tt.want)
			}
		})
	}
}
