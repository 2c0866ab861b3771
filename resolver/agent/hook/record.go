package hook

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

const (
	// trigger is what a usage event says of its cause.
	trigger = "UserPromptSubmit"
	// hashUnits and stampDigits are the lengths of task hashes, in UTF-16 units.
	hashUnits, stampDigits = 12, 14
	// MaxMisses is what the two files of recorded misses hold together, in bytes.
	MaxMisses = 1 << 20
	// maxMiss bounds a line of them, in bytes; maxMissWords is how many words it
	// has, maxMissWord the longest, in bytes.
	maxMiss, maxMissWords, maxMissWord = 4 << 10, 48, 24
)

// missesPath is the file of recorded misses below a home directory.
func missesPath(home string) string { return filepath.Join(home, ".ai-loadout", "misses.jsonl") }

// record notes the pointers in the usage log, or the words of a miss.
func (a *answer) record(ctx context.Context) error {
	if len(a.shown) == 0 && a.words == nil {
		return nil
	}
	if err := regularfile.MkdirAll(a.logDir, 0o755); err != nil {
		return err
	}
	home := filepath.Dir(a.logDir)
	if len(a.shown) == 0 {
		return layers.Log{Path: missesPath(home), RotateAt: MaxMisses/2 - maxMiss}.Append(ctx, a.miss())
	}
	events := make([]*loadout.Event, len(a.shown))
	for i := range a.shown {
		events[i] = a.usage(&a.shown[i].Result)
	}
	return layers.Log{Path: usagePath(home)}.Append(ctx, events...)
}

// usage is the event of one pointer; keys in the order of loadout section 21.3.
func (a *answer) usage(r *loadout.Result) *loadout.Event {
	hash, source := a.taskHash()
	tokens := r.Entry.TokensEst
	if math.IsNaN(tokens) {
		tokens = 0
	}
	var o indexjson.Object
	o.Text("timestamp", layers.Stamp(a.at)).Text("taskHash", hash).Text("taskHashSource", source)
	o.Text("entryId", r.Entry.ID).Text("trigger", trigger).Text("mode", string(r.Mode))
	o.Number("score", r.Score).Text("reason", r.Reason()).Number("tokensEst", tokens)
	return &loadout.Event{Raw: loadout.Value(o.JSON())}
}

// taskHash names the task: by its session, its prompt, or the time.
func (a *answer) taskHash() (hash, source string) {
	for _, k := range [...][2]string{{"session_id", "session"}, {"prompt_id", "prompt"}} {
		if v := a.event.Get(k[0]); !v.Falsy() {
			return javascript.Cut(v.Text(), hashUnits), k[1]
		}
	}
	digits := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, layers.Stamp(a.at))
	return digits[:min(len(digits), stampDigits)], "timestamp"
}

// miss is the line of a prompt that nothing matched: the words that the matcher
// sees, sorted so that the text cannot be read from them. Long ones are left
// out: they are keys and hashes rather than words.
func (a *answer) miss() *loadout.Event {
	words := slices.DeleteFunc(slices.Clone(a.words), func(w string) bool { return len(w) > maxMissWord })
	words = words[:min(len(words), maxMissWords)]
	slices.Sort(words)
	var o indexjson.Object
	o.Text("timestamp", layers.Stamp(a.at)).Value("words", indexjson.Strings(words))
	return &loadout.Event{Raw: loadout.Value(o.JSON())}
}
