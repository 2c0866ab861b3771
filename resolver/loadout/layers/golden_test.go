package layers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// scratch is the directory a golden case works in, which its vectors call {T}.
type scratch struct {
	t    *testing.T
	root string
	c    *goldentest.Case
}

func newScratch(t *testing.T, c *goldentest.Case) *scratch {
	s := &scratch{t, t.TempDir(), c}
	for _, dir := range []string{"home", "cwd"} {
		s.write(dir, "null")
	}
	c.Input.Get("files").Members(func(name string, content loadout.Value) bool {
		s.write(name, content)
		return true
	})
	return s
}

// write makes a file below the scratch directory; null makes a directory.
func (s *scratch) write(name string, content loadout.Value) string {
	s.t.Helper()
	path := filepath.Join(s.root, filepath.FromSlash(name))
	text, isFile := content.Str()
	dir := path
	if isFile {
		dir = filepath.Dir(path)
	}
	oktest.Check(s.t, os.MkdirAll(dir, 0o755))
	if isFile {
		oktest.Check(s.t, os.WriteFile(path, []byte(text), 0o644))
	}
	return path
}

// expand puts the scratch directory in place of {T}.
func (s *scratch) expand(text string) string { return strings.ReplaceAll(text, "{T}", s.root) }

// masked puts {T} in place of the scratch directory.
func (s *scratch) masked(v []byte) loadout.Value {
	return loadout.Value(strings.ReplaceAll(string(v), s.root, "{T}"))
}

// options reads the options of the case.
func (s *scratch) options() layers.Options {
	option := func(key string) *string {
		text, ok := s.c.Input.Get("opts").Get(key).Str()
		if !ok {
			return nil
		}
		text = s.expand(text)
		return &text
	}
	o := layers.Options{
		GlobalDir: option("globalDir"), OrgPath: option("orgPath"),
		ProjectRoot: option("projectRoot"), SessionPath: option("sessionPath"),
		Home: filepath.Join(s.root, "home"), Dir: filepath.Join(s.root, "cwd"), Compat: s.c.Compat(),
		Getenv: func(name string) string {
			text, _ := s.c.Input.Get("env").Get(name).Str()
			return s.expand(text)
		},
	}
	if cwd := s.c.Text("cwd"); cwd != "" {
		o.Dir = s.expand(cwd)
	}
	return o
}

// stack lays out the layers of a plan case and discovers them.
func (s *scratch) stack() *layers.Stack {
	s.t.Helper()
	o := s.options()
	o.OrgPath, o.SessionPath = new(string), new(string)
	s.c.Input.Get("layers").Items(func(v loadout.Value) bool {
		content := v.Get("raw")
		if content == "" {
			content = loadout.Value(loadout.AppendString(nil, string(v.Get("index"))))
		}
		switch name, _ := v.Get("name").Str(); name {
		case layers.Global:
			s.write("home/.ai-loadout/index.json", content)
		case layers.Org:
			*o.OrgPath = s.write("org.json", content)
		case layers.Project:
			s.write("cwd/.claude/loadout/index.json", content)
		case layers.Session:
			*o.SessionPath = s.write("session.json", content)
		default:
			s.t.Fatalf("%s: unknown layer %s", s.c.Name, name)
		}
		return true
	})
	return oktest.Value(layers.Discover(o))(s.t)
}

func TestGoldenPlan(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "plan.json") {
		s := newScratch(t, &c)
		got, err := s.answer()
		goldentest.Equal(t, &c, got, err)
	}
}

// plan is what packgen plan does with a stack.
func plan(s *layers.Stack, task string, o loadout.PlanOptions) (*loadout.LoadPlan, error) {
	merged, err := loadout.Merge(s.Layers, loadout.MergeOptions{Generated: layers.Stamp(time.Time{}), Compat: o.Match.Compat})
	if err != nil {
		return nil, err
	}
	return loadout.Plan(task, merged, s.Layers, o)
}

func (s *scratch) answer() (loadout.Value, error) {
	switch s.c.Fn() {
	case "planLoad":
		p, err := plan(s.stack(), s.c.Text("task"), loadout.PlanOptions{Match: loadout.MatchOptions{Compat: s.c.Compat()}})
		if err != nil {
			return "", err
		}
		return loadout.Value(loadout.AppendPlan(nil, p)), nil
	case "manualLookup":
		merged, err := loadout.Merge(s.stack().Layers, loadout.MergeOptions{Generated: layers.Stamp(time.Time{}), Compat: s.c.Compat()})
		if err != nil {
			return "", err
		}
		if e := merged.Lookup(s.c.Text("id")); e != nil {
			return e.JSON(), nil
		}
		return "null", nil
	case "discoverLayers":
		return s.discover()
	case "recordLoad":
		return s.record()
	}
	return "", fmt.Errorf("unknown function %s", s.c.Fn())
}

func (s *scratch) discover() (loadout.Value, error) {
	stack, err := layers.Discover(s.options())
	if err != nil {
		return "", err
	}
	out := []byte(`{"layers":[`)
	for i, l := range stack.Layers {
		if i > 0 {
			out = append(out, ',')
		}
		out = loadout.AppendString(append(out, `{"name":`...), l.Name)
		out = append(loadout.AppendString(append(out, `,"path":`...), l.Path), '}')
	}
	for i := range stack.Searched {
		if stack.Searched[i].Malformed {
			stack.Searched[i].Problem = "*" // the text is not binding
		}
	}
	plain := s.c.Text("dialect") == "ai-loadout"
	out = append(append(out, `],"searched":`...), layers.SearchedJSON(stack.Searched, plain)...)
	return s.masked(append(out, '}')), nil
}

// record records the load of the case, and where there is a task hash again without it.
func (s *scratch) record() (loadout.Value, error) {
	var args []loadout.Value
	s.c.Input.Get("args").Items(func(v loadout.Value) bool { args = append(args, v); return true })
	event := loadout.Event{}
	event.EntryID, _ = args[0].Str()
	event.Trigger, _ = args[1].Str()
	event.Mode, _ = args[2].Str()
	event.TokensEst, _ = args[3].Num()
	now, err := time.Parse(time.RFC3339, s.c.Text("now"))
	if err != nil {
		return "", err
	}
	hash, hasHash := s.c.Input.Get("opts").Get("taskHash").Str()
	log := layers.Log{}
	if hasHash {
		log.Path = filepath.Join(s.root, "usage.jsonl")
	}
	event.Timestamp = layers.Stamp(now)
	for _, h := range []string{hash, "unknown"} {
		event.TaskHash = h
		if err := log.Append(context.Background(), &event); err != nil {
			return "", err
		}
	}
	if log.Path == "" {
		return `""`, nil
	}
	text, err := os.ReadFile(log.Path)
	return loadout.Value(loadout.AppendString(nil, string(text))), err
}
