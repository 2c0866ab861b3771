package main

import (
	"context"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

// stackFlags are the flags that say where the layers are (loadout section 12).
type stackFlags struct {
	global, org, project, session string
}

func (f *stackFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.global, "global", "", "`DIR` of the global layer (default .ai-loadout in the home directory)")
	flags.StringVar(&f.org, "org", "", "`FILE` of the organisation's layer (default $"+layers.OrgVariable+")")
	flags.StringVar(&f.project, "project", "", "`DIR` whose .claude/loadout/index.json is the project layer (default the repository)")
	flags.StringVar(&f.session, "session", "", "`FILE` of the session's layer (default $"+layers.SessionVariable+")")
}

// options turns the flags into options. Without a flag the environment decides; an empty
// flag means no such layer.
func (f *stackFlags) options(a *app, flags *pflag.FlagSet) layers.Options {
	project := a.Paths.ProjectDir()
	o := layers.Options{Dir: a.Paths.Dir, ProjectRoot: &project, Getenv: func(name string) string { return a.Paths.Given(a.Getenv(name)) }}
	for _, flag := range []struct {
		name  string
		value string
		field **string
	}{
		{"global", f.global, &o.GlobalDir}, {"org", f.org, &o.OrgPath},
		{"project", f.project, &o.ProjectRoot}, {"session", f.session, &o.SessionPath},
	} {
		if flags.Changed(flag.name) {
			*flag.field = &flag.value
		}
	}
	return o
}

func (a *app) readStack(ctx context.Context, f stackFlags, flags *pflag.FlagSet, severity diag.Severity, from ...loadout.Layer) (*repo.Stack, error) {
	if err := a.Load(); err != nil {
		return nil, err
	}
	s, _, err := a.readSome(ctx, f, flags, severity, nil, from...)
	return s, err
}

// readSome is readStack for an answer that needs some entries. The packs of the repository
// and those that packgen.lock holds are layers, too; locked is nil where nothing is.
func (a *app) readSome(ctx context.Context, f stackFlags, flags *pflag.FlagSet, severity diag.Severity, need *loadout.Need, from ...loadout.Layer) (s *repo.Stack, locked *repo.LockedEntries, err error) {
	o := f.options(a, flags)
	o.Need = need
	if a.HasPacks() || repo.Holds(a.Paths.Abs(a.Config.Out), "index.json") {
		o.PacksIndex = filepath.Join(a.Paths.Abs(a.Config.Out), "index.json")
	}
	if locked, err = repo.ReadLocked(ctx, &a.Repo); err != nil {
		return nil, nil, err
	}
	if locked != nil {
		locked.Remark(&a.Repo)
		o.Locked = &locked.Layer
	}
	s, err = repo.OpenStack(&a.Repo, o, flags.Changed, severity, from...)
	return s, locked, err
}

// envelopeOf is the envelope of a command whose errors make it fail.
func envelopeOf(command string, findings []diag.Diagnostic) envelope {
	e := envelope{OK: diag.Count(findings, diag.Error) == 0, Status: schema.Passed, Command: command, Findings: findingsOf(findings)}
	if !e.OK {
		e.Status = schema.Failed
	}
	return e
}
