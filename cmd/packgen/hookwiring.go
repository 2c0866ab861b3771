package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// wiringFlags are the flags of what edits the settings of an agent.
type wiringFlags struct {
	settings, command string
	reserve           int
	misses            bool
	dryRun            bool
}

func (f *wiringFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.settings, "settings", "", "settings `FILE` of the agent (default .claude/settings.json in the home directory)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the difference and write nothing")
}

// runWiring edits the settings of an agent.
func (a *app) runWiring(verb string, f wiringFlags, edit func([]byte) ([]byte, error), command string) error {
	for _, flag := range [][2]string{{"settings", f.settings}, {"command", f.command}} {
		if err := checkFlagValue(flag[0], flag[1]); err != nil {
			return err
		}
	}
	name := f.settings
	if name == "" {
		var err error
		if name, err = homePath("settings", ".claude", "settings.json"); err != nil {
			return err
		}
	}
	name = a.Path(name)
	w, err := wire(name, a.Rel(name), f.dryRun, command, edit)
	if err != nil {
		return err
	}
	a.printWiring(verb, name, f.dryRun, w)
	return nil
}

// wired is what became of the settings of an agent.
type wired struct {
	changed bool     // or would be
	backup  string   // the file as it was; "" when none was made
	diff    []string // lines, each with a sign or a blank before it
}

// wire edits a settings file, which messages call shown. The command is what a person
// would write by hand, "" for none.
func wire(name, shown string, dryRun bool, command string, edit func([]byte) ([]byte, error)) (*wired, error) {
	before, err := atomicfile.Read(name, hook.MaxSettings)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return nil, diag.WithHint(fmt.Errorf("read the settings: %w", err), "Name the settings of the agent with --settings FILE.")
	}
	after, err := edit(before)
	if err != nil {
		return nil, settingsError(shown, command, err)
	}
	w := &wired{changed: !bytes.Equal(before, after) && (!absent || len(after) > 0), diff: lineDiff(before, after)}
	if !w.changed || dryRun {
		return w, nil
	}
	if !isBackedUp(name, before) {
		w.backup, err = atomicfile.KeepBackup(name, hook.MaxSettings)
	}
	if err == nil {
		err = atomicfile.Write(name, after)
	}
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("write the settings: %w", err), "%s is as it was. Make its directory writable and free space on its disk, or name another file with --settings.", shown)
	}
	return w, nil
}

// isBackedUp reports whether the backup of the settings differs from them by the
// hook alone: then another one would keep nothing more.
func isBackedUp(name string, settings []byte) bool {
	kept, err := atomicfile.Read(name+atomicfile.BackupSuffix, hook.MaxSettings)
	if err != nil || bytes.Equal(kept, settings) {
		return false
	}
	plain, err := hook.Uninstall(settings)
	keptPlain, keptErr := hook.Uninstall(kept)
	return errors.Join(err, keptErr) == nil && bytes.Equal(plain, keptPlain)
}

// settingsError says where the settings are no JSON, and what to write by hand.
func settingsError(name, command string, err error) error {
	hint := "Mend the file, or edit it by hand: it is left as it is."
	if command != "" {
		hint = fmt.Sprintf(`Mend the file (comments are no JSON), or add by hand under hooks.UserPromptSubmit: {"hooks": [{"type": "command", "command": %s, "timeout": 5}]}`,
			loadout.AppendString(nil, command))
	}
	var syntax *indexjson.SyntaxError
	if errors.As(err, &syntax) {
		return diag.WithHint(fmt.Errorf("%w: %s:%d:%d: %s", errNotEdited, name, syntax.Line, syntax.Column, syntax.Problem), "%s", hint)
	}
	return diag.WithHint(fmt.Errorf("%w: %s: %w", errNotEdited, name, err), "%s", hint)
}

// printWiring says what was changed.
func (a *app) printWiring(verb, name string, dryRun bool, w *wired) {
	shown, backup := a.Rel(name), w.backup
	if a.json {
		if backup != "" {
			backup = a.Rel(backup)
		}
		a.printJSON(struct {
			envelope
			Settings string   `json:"settings"`
			DryRun   bool     `json:"dry_run"`
			Changed  bool     `json:"changed"`
			Backup   string   `json:"backup,omitempty"`
			Diff     []string `json:"diff"`
		}{envelope{OK: true, Status: "passed", Command: verb, Findings: []finding{}}, shown, dryRun, w.changed, backup, w.diff})
		return
	}
	if !w.changed {
		fmt.Fprintf(a.stdout, "%s: nothing to change\n", diag.Printable(shown))
		return
	}
	p := painterFor(a.stdout)
	for _, line := range w.diff {
		line = diag.Printable(line)
		switch line[0] {
		case '+':
			line = p.green(line)
		case '-':
			line = p.red(line)
		}
		fmt.Fprintln(a.stdout, line)
	}
	switch {
	case a.quiet:
	case dryRun:
		fmt.Fprintf(a.stderr, "%s: not written (dry run)\n", diag.Printable(shown))
	case backup != "":
		fmt.Fprintf(a.stderr, "%s: written; the file as it was is %s\n", diag.Printable(shown), diag.Printable(a.Rel(backup)))
	default:
		fmt.Fprintf(a.stderr, "%s: written\n", diag.Printable(shown))
	}
}

// diffContext is how many equal lines are shown around a difference.
const diffContext = 3

// lineDiff shows the difference of two texts of which one stretch differs: a
// first character says whether a line stays, goes or comes.
func lineDiff(before, after []byte) []string {
	x, y := splitText(before), splitText(after)
	start := 0
	for start < len(x) && start < len(y) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && end < len(y)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	diff := []string{}
	if start == len(x) && start == len(y) {
		return diff
	}
	add := func(mark string, lines []string) {
		for _, l := range lines {
			diff = append(diff, mark+l)
		}
	}
	add(" ", x[max(0, start-diffContext):start])
	add("-", x[start:len(x)-end])
	add("+", y[start:len(y)-end])
	add(" ", x[len(x)-end:min(len(x), len(x)-end+diffContext)])
	return diff
}

// splitText cuts a text into lines without their ends, for people: a tab is four
// blanks.
func splitText(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	plain := strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(text))
	return strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
}
