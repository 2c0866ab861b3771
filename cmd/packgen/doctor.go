package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	"github.com/packgen/packgen/resolver/workspace"
)

// The outcomes of a check.
const (
	checkPass = "pass"
	checkWarn = "warn"
	checkFail = "fail"
	checkSkip = "skip" // there is nothing to check
)

// doctorFlags are the flags of the doctor verb.
type doctorFlags struct {
	store, index, settings, usage string
	outside                       bool
}

// health is one check of the doctor (loadout section 23).
type health struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// newDoctor is the doctor verb.
func newDoctor(a *app) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the memory store, its published index and the prompt hook",
		Long: `doctor looks at each link of the chain from a MEMORY.md to a prompt: the store, the
published index and its freshness, the layers, the hook in the agent's settings and
how long it takes, the usage log; and whether this program, the matcher that sites
run in the browser, and the site of this repository agree. It writes nothing; each
finding has a remedy.`,
		Example: "  packgen doctor --store ~/.claude/projects/work/memory\n  packgen doctor --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runDoctor(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.store, "store", "", "`DIR` of the MEMORY.md (default the one the index names)")
	flags.BoolVar(&f.outside, "outside", false, "also read files beside the store, as refresh --outside does")
	flags.StringVar(&f.index, "index", "", "index `FILE` (default .ai-loadout/index.json in the home directory)")
	flags.StringVar(&f.settings, "settings", "", "settings `FILE` of the agent (default .claude/settings.json in the home directory)")
	flags.StringVar(&f.usage, "usage", "", "usage log `FILE` (default usage.jsonl beside the index)")
	return cmd
}

// patient is what the checks look at.
type patient struct {
	ws                                *workspace.Workspace
	embedded                          func() (embeddedMatcher, error)
	storeFile, index, settings, usage string // absolute
	published                         *loadout.Index
	indexErr                          error
	fast                              bool
	matches                           indexfile.Index
	dir                               string // of the index
	memory                            memory.Options
}

func (a *app) runDoctor(ctx context.Context, f doctorFlags) error {
	o, err := a.doctorOptions(f)
	if err != nil {
		return err
	}
	checks := examine(ctx, &a.Workspace, o)
	ok := !slices.ContainsFunc(checks, func(c health) bool { return c.Status == checkFail })
	if a.json {
		status := "passed"
		if !ok {
			status = "failed"
		}
		a.printJSON(struct {
			envelope
			Result struct {
				Checks []health `json:"checks"`
				OK     bool     `json:"ok"`
			} `json:"result"`
		}{envelope{OK: ok, Status: status, Command: "doctor", Findings: []finding{}}, struct {
			Checks []health `json:"checks"`
			OK     bool     `json:"ok"`
		}{checks, ok}})
	} else {
		a.printChecks(checks)
	}
	if !ok {
		return errFindings
	}
	return nil
}

// doctorOptions finds the files that the flags name.
func (a *app) doctorOptions(f doctorFlags) (doctorOptions, error) {
	o := doctorOptions{outside: f.outside, embedded: func() (embeddedMatcher, error) {
		packed, module, err := assets.Matcher()
		return embeddedMatcher{packed.Path, int64(len(module))}, err
	}}
	for _, at := range []struct {
		flag, value string
		into        *string
		home        []string
	}{
		{"index", f.index, &o.index, []string{".ai-loadout", "index.json"}},
		{"settings", f.settings, &o.settings, []string{".claude", "settings.json"}},
		{"store", f.store, &o.store, nil},
		{"usage", f.usage, &o.usage, nil},
	} {
		if err := checkFlagValue(at.flag, at.value); err != nil {
			return o, err
		}
		*at.into = at.value
		if at.value == "" && at.home != nil {
			name, err := homePath(at.flag, at.home...)
			if err != nil {
				return o, err
			}
			*at.into = name
		}
		if *at.into != "" {
			*at.into = a.Path(*at.into)
		}
	}
	return o, nil
}

// doctorOptions say what is examined; paths are absolute.
type doctorOptions struct {
	index    string // the published index
	settings string // of the agent
	store    string // directory of the MEMORY.md; "" is the one that the index names
	usage    string // the usage log; "" is the one beside the index
	outside  bool   // files beside the store are read too

	embedded func() (embeddedMatcher, error) // the matcher that sites publish
}

// embeddedMatcher is the matcher that sites publish.
type embeddedMatcher struct {
	path string // on a site
	size int64  // unpacked, in bytes
}

// examine looks at each link of the chain from a MEMORY.md to a prompt.
func examine(ctx context.Context, w *workspace.Workspace, o doctorOptions) []health {
	p := admit(w, o)
	return []health{
		p.storeValidates(ctx), p.indexParses(), p.hookDrift(), p.layersMalformed(), p.coreEntries(), p.observability(), p.hookWired(), p.usageGrowing(),
		p.indexFresh(ctx), p.indexPrebuilt(), p.hookLatency(ctx), p.matcherAgrees(), p.siteAgrees(),
	}
}

// admit reads the index and finds the store.
func admit(w *workspace.Workspace, o doctorOptions) *patient {
	p := &patient{ws: w, embedded: o.embedded, index: o.index, settings: o.settings, usage: o.usage, dir: filepath.Dir(o.index), memory: memory.Options{Outside: o.outside}}
	if p.usage == "" {
		p.usage = filepath.Join(p.dir, usage.LogName)
	}
	p.matches, p.fast, p.indexErr = indexfile.Open(p.index)
	if p.indexErr == nil {
		p.published = p.matches.Index()
	}
	switch {
	case o.store != "":
		p.storeFile = filepath.Join(o.store, memory.FileName)
	case p.published != nil && p.published.Source != "":
		p.storeFile = w.Path(p.published.Source)
	default:
		p.storeFile = w.Path(memory.FileName)
	}
	return p
}

// printChecks prints the checks for a person.
func (a *app) printChecks(checks []health) {
	p := painterFor(a.stdout)
	count := map[string]int{}
	for _, c := range checks {
		count[c.Status]++
		if (c.Status == checkPass || c.Status == checkSkip) && a.quiet {
			continue
		}
		status := map[string]string{checkPass: p.green("pass"), checkWarn: p.bold("warn"), checkFail: p.red("FAIL"), checkSkip: p.dim("skip")}[c.Status]
		fmt.Fprintf(a.stdout, "%s  %s: %s\n", status, c.ID, diag.Printable(c.Message))
		if c.Hint != "" {
			fmt.Fprintf(a.stdout, "      %s\n", diag.Printable(c.Hint))
		}
	}
	fmt.Fprintf(a.stdout, "\n%s passed, %s, %s", amount.Counted(count[checkPass], "check"), amount.Counted(count[checkWarn], "warning"), amount.Counted(count[checkFail], "failure"))
	if n := count[checkSkip]; n > 0 {
		fmt.Fprintf(a.stdout, ", %d skipped", n)
	}
	fmt.Fprintln(a.stdout)
}

func passed(id, format string, args ...any) health {
	return health{ID: id, Status: checkPass, Message: fmt.Sprintf(format, args...)}
}

func skipped(id, hint, format string, args ...any) health {
	return health{ID: id, Status: checkSkip, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func warned(id, hint, format string, args ...any) health {
	return health{ID: id, Status: checkWarn, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func failed(id, hint, format string, args ...any) health {
	return health{ID: id, Status: checkFail, Message: fmt.Sprintf(format, args...), Hint: hint}
}
