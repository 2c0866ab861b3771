package doctor

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Trial is the outcome of hook test (loadout section 25).
type Trial struct {
	Ran               bool    `json:"ran"`
	ExitCode          int     `json:"exitCode"`
	Stdout            string  `json:"stdout"`
	Stderr            string  `json:"stderr"`
	Injected          bool    `json:"injected"`
	AdditionalContext *string `json:"additionalContext"`
	Note              string  `json:"note"`
}

// TryHook runs the hook on a prompt that is submitted in a directory, "" for none, in
// a home directory of its own, which holds a copy of an index and is removed
// afterwards.
func TryHook(index, dir, prompt string, o hook.Options) (*Trial, error) {
	temp, err := scratch.NewDir("hook")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	home := temp.Path
	if err := copyIndex(index, hook.IndexPath(home)); err != nil {
		return nil, err
	}
	var stdout, stderr strings.Builder
	o.Home, o.Stdin, o.Stdout, o.Stderr = home, strings.NewReader(hookEvent(dir, prompt)), &stdout, &stderr
	o.Lookup = func(name string) (string, bool) {
		if name == hook.Variable {
			return "debug", true
		}
		return os.LookupEnv(name)
	}
	hook.Run(o)
	r := &Trial{Ran: true, Stdout: stdout.String(), Stderr: stderr.String(), Note: "the hook had nothing to say"}
	if !strings.Contains(r.Stderr, hook.Opened) {
		r.Note = "there is no index; run packgen build for packs, packgen rules split --as lazy for rules, or packgen memory publish for memories"
	} else if strings.Contains(r.Stderr, hook.OverTime) {
		r.Note = "the hook reached its time limit; packgen doctor says how long it takes"
	}
	if text, ok := AddedContext(r.Stdout); ok {
		r.Injected, r.AdditionalContext, r.Note = true, &text, "the prompt would be given this context"
	}
	return r, nil
}

// hookEvent is the event of a prompt as an agent sends it.
func hookEvent(dir, prompt string) string {
	return `{"session_id":"hook-test","hook_event_name":"UserPromptSubmit","cwd":` + string(loadout.AppendString(nil, dir)) + `,"prompt":` + string(loadout.AppendString(nil, prompt)) + `}`
}

// AddedContext takes the context out of what the hook printed.
func AddedContext(stdout string) (string, bool) {
	v, err := indexjson.Parse([]byte(stdout))
	if err != nil {
		return "", false
	}
	return v.Get("hookSpecificOutput").Get("additionalContext").Str()
}

// copyIndex copies an index.json and makes what belongs beside it. An index that
// is absent is not an error, and neither is one that is broken.
func copyIndex(from, to string) error {
	text, err := atomicfile.Read(from, indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := indexfile.Build(text); err != nil {
		return atomicfile.Write(to, text)
	}
	return indexfile.Write(to, text)
}
