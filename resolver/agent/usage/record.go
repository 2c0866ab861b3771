package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// Load is an entry that was loaded (loadout section 14).
type Load struct {
	ID, Trigger, Mode string
	Task              string // hash of the task; "" is unknown
	Tokens            int
}

// recordWait is how long another writer of the log is waited for.
const recordWait = 5 * time.Second

// RecordNow is Record at this time, which waits for other writers of the log.
func RecordNow(ctx context.Context, log string, l Load) error {
	ctx, cancel := context.WithTimeout(ctx, recordWait)
	defer cancel()
	return Record(ctx, log, l, time.Now())
}

// Record appends a load to a usage log, its directory made when it is absent.
func Record(ctx context.Context, log string, l Load, at time.Time) error {
	if l.ID == "" {
		return errors.New("an entry has an id")
	}
	if l.Tokens < 0 {
		return fmt.Errorf("%d tokens were not loaded", l.Tokens)
	}
	if err := regularfile.MkdirAll(filepath.Dir(log), 0o755); err != nil {
		return fmt.Errorf("make the directory of the usage log: %w", err)
	}
	var o indexjson.Object
	o.Text("timestamp", layers.Stamp(at)).Text("taskHash", cmp.Or(l.Task, "unknown")).Text("entryId", l.ID)
	o.Text("trigger", l.Trigger).Text("mode", l.Mode).Number("tokensEst", float64(l.Tokens))
	return layers.Log{Path: log}.Append(ctx, &loadout.Event{Raw: loadout.Value(o.JSON())})
}
