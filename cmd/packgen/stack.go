package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/workspace"
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
func (f *stackFlags) options(a *app, flags *pflag.FlagSet) (layers.Options, error) {
	project := a.ProjectDir()
	o := layers.Options{Dir: a.Dir, ProjectRoot: &project, Getenv: func(name string) string { return a.Given(a.Getenv(name)) }}
	for _, flag := range []struct {
		name  string
		value string
		field **string
	}{
		{"global", f.global, &o.GlobalDir}, {"org", f.org, &o.OrgPath},
		{"project", f.project, &o.ProjectRoot}, {"session", f.session, &o.SessionPath},
	} {
		if !flags.Changed(flag.name) {
			continue
		}
		if err := checkFlagValue(flag.name, flag.value); err != nil {
			return o, err
		}
		*flag.field = &flag.value
	}
	return o, nil
}

// checkFlagValue refuses a value that is the next flag: the value itself was forgotten
// (loadout section 18).
func checkFlagValue(name, value string) error {
	if !strings.HasPrefix(value, "--") {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--%s was given without a value (the next word %q is a flag, not a value)", name, value),
		"give a value, such as --%s=PATH", name)
}

// checkFlagValues checks pairs of a flag's name and its value.
func checkFlagValues(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if err := checkFlagValue(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) readStack(f stackFlags, flags *pflag.FlagSet, severity diag.Severity, from ...loadout.Layer) (*workspace.Stack, error) {
	o, err := f.options(a, flags)
	if err != nil {
		return nil, err
	}
	return a.OpenStack(o, flags.Changed, severity, from...)
}

// envelopeOf is the envelope of a command whose errors make it fail.
func envelopeOf(command string, findings []diag.Diagnostic) envelope {
	e := envelope{OK: diag.Count(findings, diag.Error) == 0, Status: "passed", Command: command, Findings: findingsOf(findings)}
	if !e.OK {
		e.Status = "failed"
	}
	return e
}
