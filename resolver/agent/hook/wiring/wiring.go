package wiring

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

var errNotEdited = errors.New("the settings cannot be edited")

// Wired is what became of the settings of an agent.
type Wired struct {
	Changed bool     // or would be
	Backup  string   // the file as it was; "" when none was made
	Diff    []string // lines, each with a sign or a blank before it
}

// Wire edits a settings file, which messages call shown. The command is what a person
// would write by hand, "" for none.
func Wire(name, shown string, dryRun bool, command string, edit func([]byte) ([]byte, error)) (*Wired, error) {
	before, err := atomicfile.Read(name, hook.MaxSettings)
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return nil, diag.WithHint(fmt.Errorf("read the settings: %w", err), "name the settings of the agent with --settings FILE")
	}
	after, err := edit(before)
	if err != nil {
		return nil, settingsError(shown, command, err)
	}
	w := &Wired{Changed: !bytes.Equal(before, after) && (!absent || len(after) > 0), Diff: LineDiff(before, after)}
	if !w.Changed || dryRun {
		return w, nil
	}
	if !isBackedUp(name, before) {
		w.Backup, err = atomicfile.KeepBackup(name, hook.MaxSettings)
	}
	if err == nil {
		err = atomicfile.Write(name, after)
	}
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("write the settings: %w", err), "%s is as it was; make its directory writable and free space on its disk, or name another file with --settings", shown)
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
	plain, err := hook.Claude.Uninstall(settings)
	keptPlain, keptErr := hook.Claude.Uninstall(kept)
	return errors.Join(err, keptErr) == nil && bytes.Equal(plain, keptPlain)
}

// settingsError says where the settings are not JSON, and what to write by hand.
func settingsError(name, command string, err error) error {
	hint := "correct the file, or edit it by hand: it was not changed"
	if command != "" {
		hint = fmt.Sprintf(`correct the file (JSON has no comments), or add by hand under hooks.UserPromptSubmit: {"hooks": [{"type": "command", "command": %s, "timeout": 5}]}`,
			loadout.AppendString(nil, command))
	}
	at, _ := indexjson.Located(name, err)
	return diag.WithHint(fmt.Errorf("%w: %w", errNotEdited, at), "%s", hint)
}
