package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/jsonfile"
	"github.com/packgen/packgen/resolver/agent/managedblock"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// maxFile is the largest file that is changed, in bytes.
const maxFile = hook.MaxSettings

// Options say what is connected. Base is required, and unless Remove is set Server and
// Hook.
type Options struct {
	Base   Base
	Agents []Agent // the agents; none is those that Find finds
	Remove bool
	Server []string // the command line of the MCP server
	Hook   string   // the command of the hook
	Others bool     // hooks of the systems that packgen replaces are taken out
	Block  string   // the text of the block in AGENTS.md
	Import bool     // CLAUDE.md gets a block that imports AGENTS.md
}

// Change is what becomes of one file.
type Change struct {
	Path    string   // absolute
	Agents  []Agent  // for which it is changed
	Diff    []string // lines, each with a sign or a blank before it; empty when nothing changes
	Deletes bool     // the file goes: nothing but ours was in it
	Others  []string // commands of hooks of other systems that stay
	Gone    []string // commands of hooks of other systems that only the backup has, when ours goes
	Backup  string   // the file as it was, after Apply; "" when none was made
	Blocked Blocked  // why the agent does not run the hook that the file will have

	base, real    string // of the agents' files; the path without links
	kinds         []kind // of what is written into it
	before, after []byte
	absent        bool
	spent         bool // the backup holds what the file will hold
}

// Changes reports whether the file becomes another.
func (c *Change) Changes() bool {
	return c.Deletes || !bytes.Equal(c.before, c.after) && (!c.absent || len(c.after) > 0)
}

// Plan reads the files of the agents and says what becomes of each. Nothing is
// written. The error names the file that cannot be changed, and no file may be then.
func Plan(o Options) ([]*Change, error) {
	agents := o.Agents
	if len(agents) == 0 {
		agents = o.Base.Find()
	}
	if len(agents) == 0 && !o.Remove {
		where := "this project"
		if o.Base.User {
			where = "the home directory"
		}
		return nil, diag.WithHint(fmt.Errorf("no file in %s shows that an agent is used", where), "name one: packgen connect claude, cursor, codex, copilot, gemini or all")
	}
	if len(agents) == 0 {
		agents = allAgents()
	}
	var list []*Change
	for _, a := range agents {
		places := a.places(o.Base.User)
		if a == Claude && !o.Base.User && (o.Import || o.Remove) {
			places = append(places, place{"AGENTS.md", section}, place{"CLAUDE.md", section})
		}
		for _, p := range places {
			if o.Remove && p.path == "AGENTS.md" && o.Base.neededBy(agents) {
				continue
			}
			own := o
			if p.path == "CLAUDE.md" {
				if regularfile.RealPath(filepath.Join(o.Base.Dir, "AGENTS.md")) == regularfile.RealPath(filepath.Join(o.Base.Dir, p.path)) {
					continue // it is AGENTS.md by a link
				}
				own.Block = "@AGENTS.md"
			}
			dir, name := o.Base.locate(a, p.path)
			c, err := open(&list, dir, name, a)
			if err == nil {
				err = c.edit(p.kind, &own)
			}
			if err != nil {
				return nil, explain(place{o.Base.shown(a, p.path), p.kind}, o.Hook, err)
			}
			if p.kind.isHook() && !o.Remove {
				c.Blocked = o.Base.blocked(a, c.Path, c.after)
			}
		}
	}
	for _, c := range list {
		c.settle(o.Remove)
	}
	return list, nil
}

// neededBy reports whether agents that stay connected read AGENTS.md.
func (b Base) neededBy(gone []Agent) bool {
	return slices.ContainsFunc(b.Connected(), func(f File) bool {
		return !slices.Contains(gone, f.Agent) && slices.ContainsFunc(f.Agent.places(false), func(p place) bool { return p.kind == section })
	})
}

// open returns the change of a file below a directory, of which several agents may need
// something.
func open(list *[]*Change, base, path string, a Agent) (*Change, error) {
	name := filepath.Join(base, filepath.FromSlash(path))
	if i := slices.IndexFunc(*list, func(c *Change) bool { return c.real == regularfile.RealPath(name) }); i >= 0 {
		c := (*list)[i]
		if !slices.Contains(c.Agents, a) {
			c.Agents = append(c.Agents, a)
		}
		return c, nil
	}
	if err := regularfile.CheckWrite(name); err != nil {
		return nil, err
	}
	text, err := read(name)
	if err != nil {
		return nil, err
	}
	c := &Change{Path: name, Agents: []Agent{a}, base: base, real: regularfile.RealPath(name), before: text, after: text, absent: text == nil}
	*list = append(*list, c)
	return c, nil
}

// read reads a file; nil for a missing one.
func read(name string) ([]byte, error) {
	text, err := atomicfile.Read(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

// edit adds what the options say to the text of a file, or takes it out.
func (c *Change) edit(k kind, o *Options) error {
	if o.Remove && c.absent {
		return nil
	}
	if _, err := os.Lstat(c.Path); c.absent && err == nil {
		return errNowhere
	}
	if !slices.Contains(c.kinds, k) {
		c.kinds = append(c.kinds, k)
	}
	var text []byte
	var err error
	if o.Remove {
		text, err = k.remove(c.after)
	} else {
		text, err = k.add(c.after, o)
	}
	if err != nil {
		return err
	}
	if k == hooks && !o.Remove && !o.Others {
		c.Others, _ = hook.Others(text)
	}
	c.after = text
	return nil
}

// restore takes the backup for the file as it was, when that differs from the file by
// the entries alone: then it is the file to the byte. What adding and removing makes of
// the backup is what it makes of the file.
func (c *Change) restore() {
	kept, err := read(c.Path + atomicfile.BackupSuffix)
	if err != nil || kept == nil {
		return
	}
	isJSON := false
	for _, k := range c.kinds {
		if plain, err := k.remove(kept); err != nil || !bytes.Equal(plain, kept) {
			return // the backup has an entry too
		}
		isJSON = isJSON || k != toml && k != section
	}
	// Hooks of other systems may have been taken out with it, or not.
	for _, others := range [...]bool{false, true} {
		around, err := c.around(kept, others)
		if err == nil && (bytes.Equal(around, c.after) || isJSON && bytes.Equal(jsonfile.Plain(around), jsonfile.Plain(c.after))) {
			c.after = kept
			break
		}
	}
	c.spent = bytes.Equal(c.after, kept)
}

// around is what adding and removing makes of a text.
func (c *Change) around(text []byte, others bool) ([]byte, error) {
	var err error
	for _, k := range c.kinds {
		if text, err = k.add(text, &Options{Server: []string{serverName, "mcp"}, Hook: "packgen hook", Others: others}); err != nil {
			return nil, err
		}
	}
	for _, k := range c.kinds {
		if text, err = k.remove(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// takenOut lists hooks of other systems that the backup has and the file has not.
func (c *Change) takenOut() []string {
	kept, err := read(c.Path + atomicfile.BackupSuffix)
	if err != nil || kept == nil || !slices.Contains(c.kinds, hooks) {
		return nil
	}
	had, _ := hook.Others(kept)
	has, _ := hook.Others(c.after)
	return slices.DeleteFunc(had, func(command string) bool { return slices.Contains(has, command) })
}

// settle decides whether a file goes, and shows the difference.
func (c *Change) settle(remove bool) {
	if remove && !c.absent && !bytes.Equal(c.before, c.after) {
		c.restore()
		c.Gone = c.takenOut()
		rest := bytes.TrimSpace(c.after)
		_, err := os.Lstat(c.Path + atomicfile.BackupSuffix)
		c.Deletes = (len(rest) == 0 || string(rest) == "{}") && errors.Is(err, fs.ErrNotExist)
	}
	if c.Changes() {
		after := c.after
		if c.Deletes {
			after = nil
		}
		c.Diff = lineDiff(c.before, after)
	}
}

// explain says which file cannot be changed, and what to do. The command is that of the hook,
// "" where it is taken out.
func explain(p place, command string, err error) error {
	at, syntax := indexjson.Located(p.path, err)
	hint := "correct the file, or change it by hand; no file was changed"
	switch {
	case errors.Is(err, errNowhere):
		hint = "make the file that it leads to, or remove the link; no file was changed"
	case errors.Is(err, regularfile.ErrLink):
		hint = diag.HintOf(err) + "; no file was changed"
	case errors.Is(err, errOthers):
		hint = "rename that server, or remove it; no file was changed"
	case syntax && p.kind == hooks && command != "":
		hint = fmt.Sprintf(`correct the file (JSON has no comments), or add by hand under hooks.UserPromptSubmit: {"hooks": [{"type": "command", "command": %s, "timeout": 5}]}; no file was changed`, quoted(command))
	case errors.Is(err, managedblock.ErrMarks):
		hint = "leave one pair of these lines, or none; no file was changed"
	}
	if !syntax {
		at = fmt.Errorf("%s: %w", p.path, err)
	}
	return diag.WithHint(fmt.Errorf("the settings cannot be edited: %w", at), "%s", hint)
}

// Apply carries a plan out, file by file. What a file was is kept beside it, once; a
// file that is not to be written to stays.
func Apply(list []*Change) error {
	for _, c := range list {
		if !c.Changes() {
			continue
		}
		if info, err := os.Stat(c.Path); err == nil && info.Mode().Perm()&0o200 == 0 {
			return diag.WithHint(fmt.Errorf("%s is read-only", c.Path), "make it writable, or change it by hand")
		}
	}
	for _, c := range list {
		if !c.Changes() {
			continue
		}
		if err := c.apply(); err != nil {
			return diag.WithHint(err, "make its directory writable and free space on its disk; it is as it was, and files that were shown before it are changed: run again")
		}
	}
	return nil
}

func (c *Change) apply() (err error) {
	if now, err := read(c.Path); err != nil || !bytes.Equal(now, c.before) {
		return fmt.Errorf("%s was changed meanwhile", c.Path)
	}
	if c.Deletes {
		return c.delete()
	}
	_, hasBackup := os.Lstat(c.Path + atomicfile.BackupSuffix)
	if !c.absent && errors.Is(hasBackup, fs.ErrNotExist) {
		if c.Backup, err = atomicfile.Backup(c.Path, maxFile); err != nil {
			return fmt.Errorf("keep %s as it was: %w", c.Path, err)
		}
	}
	if err := atomicfile.Write(c.Path, c.after); err != nil {
		return fmt.Errorf("write %s: %w", c.Path, err)
	}
	if c.spent {
		return regularfile.Remove(c.Path + atomicfile.BackupSuffix)
	}
	return nil
}

// delete removes the file, and the directories that it leaves empty: an empty .cursor
// would say that Cursor is used.
func (c *Change) delete() error {
	if err := regularfile.Remove(c.Path); err != nil {
		return err
	}
	for dir := filepath.Dir(c.Path); dir != filepath.Clean(c.base); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || regularfile.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// Base is what files of agents belong to: a project, or a user.
type Base struct {
	Dir  string // the root of the project, or the home directory
	User bool   // Dir is the home directory
	// Home is the home directory of the user, also where Dir is a project; "" for none.
	Home string
	// Getenv returns a variable of the environment: agents have some that name the directory
	// of their files of a user. nil knows of none.
	Getenv func(name string) string
}

// locate returns the directory that a file of an agent is below, and its path from there.
// The directory is the user's or the project's own: it stays when it is empty.
func (b Base) locate(a Agent, path string) (dir, name string) {
	if b.User && b.Getenv != nil {
		own := a.files()
		if dir := hook.NamedDir(own.variable, b.Getenv); dir != "" {
			return dir, strings.TrimSuffix(strings.TrimPrefix(path+"/", own.below), "/")
		}
	}
	return b.Dir, path
}

// file is the absolute path of a file of an agent.
func (b Base) file(a Agent, path string) string {
	dir, name := b.locate(a, path)
	return filepath.Join(dir, filepath.FromSlash(name))
}

// shown is the path of a file of an agent in messages: as it is written for everybody,
// unless a variable moves it.
func (b Base) shown(a Agent, path string) string {
	if dir, _ := b.locate(a, path); dir != b.Dir {
		return b.file(a, path)
	}
	return path
}

// ClaudeSettings is the file that Claude Code reads the hooks of a user from; "" without a
// home directory.
func ClaudeSettings(home string, getenv func(string) string) string {
	if dir := hook.ClaudeDir(home, getenv); dir != "" {
		return filepath.Join(dir, "settings.json")
	}
	return ""
}

// all is the word for all agents.
const all = "all"

// Names lists the words that name agents.
func Names() []string {
	return append([]string{all}, words(allAgents())...)
}

func words(agents []Agent) (list []string) {
	for _, agent := range agents {
		list = append(list, string(agent))
	}
	return list
}

// Named returns the agents that words name, each once.
func Named(words []string) []Agent {
	if slices.Contains(words, all) {
		return allAgents()
	}
	var list []Agent
	for _, word := range words {
		if !slices.Contains(list, Agent(word)) {
			list = append(list, Agent(word))
		}
	}
	return list
}

// FileReport says what became of one file.
type FileReport struct {
	Path   string   `json:"path"`
	Agents []Agent  `json:"agents"`
	State  string   `json:"state"`
	Backup string   `json:"backup,omitempty"`
	Diff   []string `json:"diff,omitempty"`
	Others []string `json:"other_hooks,omitempty"`
	Gone   []string `json:"other_hooks_gone,omitempty"`
	Next   string   `json:"next,omitempty"` // what the user has to do before the agent runs the hook
}

// For names the agents.
func (r *FileReport) For() string {
	return strings.Join(words(r.Agents), ", ")
}

// Report says what became of each file of a plan; shown makes a path as it is shown.
func Report(list []*Change, dryRun bool, shown func(string) string) []FileReport {
	files := []FileReport{}
	for _, c := range list {
		out := FileReport{Path: shown(c.Path), Agents: c.Agents, State: "unchanged", Diff: c.Diff, Others: c.Others, Gone: c.Gone, Next: c.Blocked.Remedy()}
		switch {
		case !c.Changes():
		case dryRun:
			out.State = "not written (dry run)"
		case c.Deletes:
			out.State = "removed"
		default:
			out.State = "written"
		}
		if c.Backup != "" {
			out.Backup = shown(c.Backup)
		}
		files = append(files, out)
	}
	return files
}
