package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// openValues are the placeholders of flags and arguments that anything may be written for,
// and of files, which shells complete.
var openValues = strings.Fields("FILE DIR PATH FOLDER REPOSITORY PROGRAM COMMAND TEXT TASK QUERY FACT HASH TOKENS SCORE TIME ADDR HOST N NAME TAG ADDRESS REF I/N FROM=TO INDEX MEMORY.md CLAUDE.md A B string strings float duration int")

// completedNames are flags whose NAME is the name of something that exists.
var completedNames = []string{"pack", "schema", "role"}

// Whatever a command line takes that is not a file, a number or free text is completed:
// every flag of every command, hidden ones too, and every argument.
func TestEverythingThatIsNotFreeIsCompleted(t *testing.T) {
	a := &app{stdout: io.Discard, stderr: io.Discard}
	seen := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "bool" {
				return
			}
			seen++
			place, usage := pflag.UnquoteUsage(f)
			complete, ok := cmd.GetFlagCompletionFunc(f.Name)
			if !ok && (!slices.Contains(openValues, place) || slices.Contains(completedNames, f.Name)) {
				t.Errorf("%s --%s: %s is not completed", cmd.CommandPath(), f.Name, place)
			}
			if list := flagWords[f.Name]; ok && list != nil && flagWords[cmd.CommandPath()+" --"+f.Name] == nil && place != "TEXT" {
				offered, _ := complete(cmd, nil, "")
				for _, word := range offered {
					if !strings.Contains(usage, word) && f.Name != "schema" {
						t.Errorf("%s --%s: help does not name %s", cmd.CommandPath(), f.Name, word)
					}
				}
			}
		})
		for _, place := range regexp.MustCompile(`[A-Za-z.|]+`).FindAllString(strings.TrimPrefix(cmd.Use, cmd.Name()), -1) {
			for _, one := range strings.Split(strings.TrimLeft(place, "."), "|") {
				one = strings.Trim(one, ".")
				if one == "" || strings.Contains(cmd.Use, "--"+one) || slices.Contains(openValues, one) || one == "URL" || one == "flags" {
					continue
				}
				if seen++; cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
					t.Errorf("%s: %s is not completed", cmd.CommandPath(), one)
				}
			}
		}
		for _, below := range cmd.Commands() {
			visit(below)
		}
	}
	root := newRoot(a)
	a.addCompletions(root)
	visit(root)
	if seen < 100 {
		t.Errorf("only %d flags and arguments were looked at", seen)
	}
}
