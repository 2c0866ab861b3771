package check_test

import (
	"context"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/check"
)

// A comment switches off what the index of all packs finds in its file.
func TestCommentsSwitchOffWhatTheIndexFinds(t *testing.T) {
	w := repoOf(t, kettleWith("  loadout:\n    # packgen-disable-next-line loadout-unknown: it comes later\n    kettle/gone: {priority: core}\n"))
	oktest.Check(t, w.Load())
	c := oktest.Value(check.Run(context.Background(), w, check.RepositoryOptions{Now: time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)}))(t)
	defer c.Close()
	outcome := check.OutcomeOf(c)
	for _, d := range outcome.Findings {
		if d.ID == "loadout-unknown" {
			t.Error(d.Message)
		}
	}
	if n := outcome.Packs[0].Suppressed; n != 1 {
		t.Errorf("%d findings are switched off", n)
	}
}
