package hook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

const (
	// DefaultTimeLimit is how long the hook may take.
	DefaultTimeLimit = 300 * time.Millisecond
	// DefaultFloor is the score from which an entry is pointed to, and exactFloor the one
	// of the exact dialects.
	DefaultFloor = loadout.WeightedMinScore
	exactFloor   = 0.5
	// MaxPointers is how many entries one prompt is pointed to.
	MaxPointers = 5
	// maxTokens is the estimate that the context text does not pass. It gives
	// way only to an id and a path that are longer by themselves.
	maxTokens = 200
	// maxEvent is the largest event that is read, in bytes.
	maxEvent = 16 << 20 // 16 MiB
	// maxPrompt is how much of a prompt is matched, in UTF-16 units.
	maxPrompt = 64 << 10
)

// The environment variables of the hook (loadout section 26).
const (
	Variable      = "AI_LOADOUT_HOOK"
	FloorVariable = "AI_LOADOUT_MIN_SCORE"
)

// Opened is in what debug mode says of each index that answers.
const Opened = ", entries: "

// OverTime begins what debug mode says when the time limit ended the hook.
const OverTime = "the time limit is over: "

// Options steer Run. Stdin and Stdout are required.
type Options struct {
	// Home is the user's home directory, where .ai-loadout is. Without one there are no
	// memories, and nothing is noted.
	Home string
	// Project is the root of the project and of its repository; "" finds both from
	// the directory that the event names.
	Project string
	// Inject is how many tokens of text are put in place of pointers; 0 for none.
	Inject int
	// Reserve is how many of the pointers are kept for domain entries when core
	// entries would take all of them.
	Reserve int
	// RecordMisses notes the words of prompts that nothing matched in
	// misses.jsonl beside the index, never the text.
	RecordMisses bool
	// TimeLimit replaces DefaultTimeLimit when it is not 0.
	TimeLimit time.Duration
	// Matcher is the name of the dialect that makes hits a score; "" is the one that
	// packgen.yaml names, otherwise the weighted one, and so is a name that no dialect has.
	Matcher string

	skipped []string     // arguments that mean nothing; debug mode names them
	locked  *lockedFiles // of the repository; nil until it is found, and without a lock
	unbuilt string       // says that packs have no index; "" when they have

	Lookup         func(name string) (string, bool) // of the environment; nil: os.LookupEnv
	Now            func() time.Time                 // nil: time.Now
	Stdin          io.Reader
	Stdout, Stderr io.Writer // Stderr is written to in debug mode alone; nil for none
}

// IndexPath is the global index below a home directory.
func IndexPath(home string) string { return filepath.Join(home, ".ai-loadout", "index.json") }

// usagePath is the usage log below a home directory.
func usagePath(home string) string { return filepath.Join(home, ".ai-loadout", "usage.jsonl") }

// Run answers one prompt. It always returns, and within the time limit; what it
// could not do it leaves out.
func Run(o Options) {
	if o.Lookup == nil {
		o.Lookup = os.LookupEnv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	mode, _ := o.Lookup(Variable)
	if mode == "off" {
		return
	}
	if mode != "debug" || o.Stderr == nil {
		o.Stderr = io.Discard
	}
	for _, what := range o.skipped {
		debugf(o.Stderr, "skipped %s", what)
	}
	limit := o.TimeLimit
	if limit <= 0 {
		limit = DefaultTimeLimit
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	answers := make(chan *answer, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				debugf(o.Stderr, "fault: %v", fault)
				answers <- nil
			}
		}()
		answers <- o.answer(ctx)
	}()
	select {
	case <-ctx.Done():
		debugf(o.Stderr, OverTime+"%s", limit)
	case a := <-answers:
		if a != nil {
			a.finish(ctx, &o)
		}
	}
}

// answer is what the hook found.
type answer struct {
	at     time.Time
	event  loadout.Value
	shown  []match  // the pointers, best first
	text   string   // the context; "" when there is none
	words  []string // of a prompt that nothing matched
	logDir string
	stack  []layer
}

// answer finds what to point to; nil when there is nothing to say or to note.
func (o *Options) answer(ctx context.Context) *answer {
	events := make(chan loadout.Value, 1)
	go func() {
		defer func() { _ = recover(); close(events) }()
		events <- readEvent(o.Stdin)
	}()
	a := &answer{at: o.Now(), logDir: filepath.Join(o.Home, ".ai-loadout")}
	select {
	case <-ctx.Done():
		return nil
	case a.event = <-events:
	}
	prompt := promptOf(a.event)
	if prompt == "" {
		debugf(o.Stderr, "no prompt")
		return nil
	}
	a.stack = o.open(directoryOf(a.event))
	if len(a.stack) == 0 {
		a.text = o.toRun()
		return a
	}
	text, set := o.Lookup(FloorVariable)
	floor := floorOf(text, set, DefaultFloor)
	if o.dialect() != loadout.Weighted {
		floor = floorOf(text, set, exactFloor)
	}
	chosen, err := o.choose(a.stack, prompt, floor)
	if err != nil {
		debugf(o.Stderr, "match: %v", err)
		return nil
	}
	if o.Inject > 0 {
		a.text, a.shown = o.inject(ctx, a.stack, prompt)
	}
	if a.text == "" {
		a.text, a.shown = render(chosen)
	}
	if note := o.toRun(); note != "" {
		a.text = strings.TrimPrefix(a.text+"\n"+note, "\n")
	}
	if len(a.shown) == 0 && len(chosen) == 0 && o.RecordMisses {
		a.words = a.stack[0].ix.Tokenizer().Words(prompt)
	}
	return a
}

// dialect is the one that makes hits a score.
func (o *Options) dialect() loadout.Dialect {
	if d, ok := loadout.NamedDialect(o.Matcher); ok {
		return d
	}
	return loadout.Weighted
}

// choose matches a prompt and returns what to point to.
func (o *Options) choose(stack []layer, prompt string, floor float64) ([]match, error) {
	least, most := floor, MaxPointers
	if o.Stderr != io.Discard {
		least, most = 0, maxAsked // debug mode names what nearly matched
	}
	results, err := matchAll(stack, prompt, o.dialect(), least, most)
	if err != nil {
		return nil, err
	}
	chosen := choose(results, floor, o.Reserve)
	debugf(o.Stderr, "%d of the entries match, %d are chosen, from score %v up", len(results), len(chosen), floor)
	o.debugMisses(results, chosen, floor)
	return chosen, nil
}

// maxMisses is how many near misses debug mode names.
const maxMisses = 5

// debugMisses names in debug mode what matched and is not pointed to, and why.
func (o *Options) debugMisses(results, chosen []match, floor float64) {
	if o.Stderr == io.Discard {
		return
	}
	taken := map[*loadout.Entry]bool{}
	for _, r := range chosen {
		taken[r.Entry] = true
	}
	named, more := 0, 0
	for _, r := range results {
		why := fmt.Sprintf("below %v", floor)
		switch {
		case taken[r.Entry]:
			continue
		case r.Score >= floor:
			why = "others come first"
		}
		if named == maxMisses {
			more++
			continue
		}
		named++
		debugf(o.Stderr, "near miss: %s, score %.3f: %s; %s", r.Entry.ID, r.Score, r.Reason(), why)
	}
	if more > 0 {
		debugf(o.Stderr, "and %d more near misses", more)
	}
}

// finish prints the answer, notes what was used and prebuilds the layers that lack
// it, in that order: a log that is slow to write delays nobody.
func (a *answer) finish(ctx context.Context, o *Options) {
	if a.text != "" {
		if _, err := o.Stdout.Write(a.envelope()); err != nil {
			debugf(o.Stderr, "print: %v", err)
		}
	}
	if o.Home == "" {
		return
	}
	o.within(ctx, "record", func() error { return a.record(ctx) })
	for _, l := range a.stack {
		if l.ix.Outdated {
			keep := binaryAge // of the prebuilt forms beside it; those of the global layer are the user's
			if l.name == layers.Global {
				keep = 0
			}
			o.within(ctx, "prebuild", func() error { return l.ix.Renew(keep) })
		}
	}
}

// within does one more thing while there is time. What is not done is left as it
// was: the next prompt finds it so again.
func (o *Options) within(ctx context.Context, what string, do func() error) {
	done := make(chan error, 1)
	go func() {
		defer func() { _ = recover(); close(done) }()
		done <- do()
	}()
	select {
	case <-ctx.Done():
	case err := <-done:
		if err != nil {
			debugf(o.Stderr, "%s: %v", what, err)
		}
	}
}

// envelope is the answer as an agent expects it, compact, without a line feed.
func (a *answer) envelope() []byte {
	// An agent takes a context for the event that it asked about alone.
	name := promptEvent
	if asked, _ := a.event.Get("hook_event_name").Str(); asked == geminiEvent {
		name = asked
	}
	var out, specific indexjson.Object
	specific.Text("hookEventName", name).Text("additionalContext", a.text)
	return out.Bool("suppressOutput", true).Value("hookSpecificOutput", specific.JSON()).JSON()
}

// readEvent reads the event of a prompt; the missing Value when it is too large
// or not JSON.
func readEvent(r io.Reader) loadout.Value {
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(r, maxEvent+1)); err != nil || data.Len() > maxEvent {
		return ""
	}
	v, err := indexjson.ParseInfinite(data.Bytes())
	if err != nil {
		return ""
	}
	return v
}

// promptOf returns the part of the prompt that is matched: the first truthy of
// its three names (loadout section 21.3). It is empty for a blank prompt.
func promptOf(event loadout.Value) string {
	if event.Kind() != loadout.Object {
		return ""
	}
	for _, key := range [...]string{"prompt", "user_prompt", "message"} {
		if v := event.Get(key); !v.Falsy() {
			text := v.Text()
			if javascript.Trim(text) == "" {
				return ""
			}
			return javascript.Cut(text, maxPrompt)
		}
	}
	return ""
}

// directoryOf returns the directory that a prompt was submitted in, "" when the event
// names none that a hook can look into.
func directoryOf(event loadout.Value) string {
	dir, _ := event.Get("cwd").Str()
	if len(dir) > maxPath || !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return ""
	}
	return filepath.Clean(dir)
}

// floorOf reads the floor as JavaScript reads a number: blank is 0, and what is
// not a finite number is the default, as is an unset variable (loadout section
// 21.2).
func floorOf(text string, set bool, byDefault float64) float64 {
	if !set {
		return byDefault
	}
	text = javascript.Trim(text)
	if text == "" {
		return 0
	}
	if len(text) > 2 && text[0] == '0' {
		base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]
		if base != 0 {
			n, err := strconv.ParseUint(text[2:], base, 64)
			if err != nil {
				return byDefault
			}
			return float64(n)
		}
	}
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return byDefault
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return byDefault
	}
	return f
}

// debugf explains on standard error; w is io.Discard outside debug mode.
func debugf(w io.Writer, format string, args ...any) {
	if w != io.Discard {
		_, _ = io.WriteString(w, "[loadout-hook] "+javascript.Line(fmt.Sprintf(format, args...))+"\n")
	}
}

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
