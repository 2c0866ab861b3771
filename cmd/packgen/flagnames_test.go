package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/oktest"
)

// meaningOfFlag holds what the help of a flag says in every command that has it, for names that
// tools use for many things.
var meaningOfFlag = map[string]string{
	"all": "^print every finding", "fix": "^fix what can be fixed", "record": "^check this JSON record", "strict": "^(leave the site as it was|print no text)",
	"dry-run": "(writes?|remove|ask) (nothing|neither|no )", "out": "(write|publish)", "json": "^print one JSON envelope", "subject": "^$", "task": "^a `TASK`",
}

// A flag of one name means the same in every command.
func TestFlagOfOneNameHasOneMeaning(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if want := meaningOfFlag[f.Name]; want != "" && !f.Hidden {
				seen[f.Name] = true
				if !regexp.MustCompile(want).MatchString(f.Usage) {
					t.Errorf("%s --%s: %q is another meaning than %q", cmd.CommandPath(), f.Name, f.Usage, want)
				}
			}
		})
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	visit(newRoot(&app{}))
	if len(seen) != len(meaningOfFlag)-1 || seen["subject"] {
		t.Errorf("flags with a meaning: %v", seen)
	}
}

// Flags that have another name too take it, and help does not list it.
func TestOtherNamesOfFlagsWork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ verb, other, name, value string }{
		{"boot", "subject", "usecase", "a"}, {"resolve", "record", "write-run", "true"}, {"eval", "record", "write-run", "true"},
		{"eval", "fix", "ask", "true"}, {"push", "all", "catalog", "true"}, {"usage record", "task", "task-hash", "h"}, {"report", "html", "out", "x.html"},
	} {
		cmd, _, err := newRoot(&app{}).Find(strings.Fields(c.verb))
		oktest.Check(t, err)
		if err := cmd.ParseFlags([]string{"--" + c.other + "=" + c.value}); err != nil || !cmd.Flags().Changed(c.name) {
			t.Errorf("%s --%s: %v", c.verb, c.other, err)
		}
		if strings.Contains(cmd.UsageString(), "--"+c.other+" ") {
			t.Errorf("the help of %s lists --%s", c.verb, c.other)
		}
	}
}

// The help of a command under a former name begins with the name that it has here.
func TestHelpOfFormerCommandsSaysTheirName(t *testing.T) {
	t.Parallel()
	a := &app{}
	seen := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		var help bytes.Buffer
		cmd.SetOut(&help)
		oktest.Check(t, cmd.Help())
		want := "This is packgen "
		if now := cmd.Annotations[nowKey]; now != "" {
			want += now + " under a former name.\n"
		}
		if seen++; !strings.HasPrefix(help.String(), want) {
			t.Errorf("%s: help begins %.60q", cmd.CommandPath(), &help)
		}
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	for _, cmd := range a.formerVerbs() {
		visit(cmd)
	}
	if seen < 10 {
		t.Errorf("%d commands", seen)
	}
}

// A value that is the next flag was forgotten: every flag that takes a path, a command, an
// address or a hash refuses it, in every command.
func TestForgottenValueIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	seen := 0
	var visit func(path []string, cmd *cobra.Command)
	visit = func(path []string, cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			switch what, _ := pflag.UnquoteUsage(f); what {
			case "FILE", "DIR", "PATH", "COMMAND", "PROGRAM", "ADDR", "HASH":
			default:
				return
			}
			seen++
			a := &app{}
			fresh, _, err := newRoot(a).Find(path)
			if err == nil {
				err = fresh.ParseFlags([]string{"--" + f.Name, "--next"})
			}
			oktest.Check(t, err)
			if err := a.settlePaths(fresh); err == nil || !strings.Contains(err.Error(), "--"+f.Name+" was given without a value") {
				t.Errorf("%s --%s --next: %v", strings.Join(path, " "), f.Name, err)
			}
		})
		for _, below := range cmd.Commands() {
			visit(append(append([]string{}, path...), below.Name()), below)
		}
	}
	visit(nil, newRoot(&app{}))
	if seen < 60 {
		t.Errorf("%d flags", seen)
	}
}
