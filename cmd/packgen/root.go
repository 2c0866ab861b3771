package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
	"github.com/packgen/packgen/resolver/repo"
)

// The exit codes of every command (agent-knowledge section 17.3).
const (
	exitDone     = 0 // the work is done; warnings may have been printed
	exitFindings = 1 // findings that need action, or a refusal
	exitMisuse   = 2 // wrong arguments, or an environment that does not allow the work
)

// errFindings ends a command whose findings are already printed.
var errFindings = errors.New("findings need action")

// errMisuse ends a command that was used wrongly and has said so.
var errMisuse = errors.New("wrong use")

// app is what the commands share: the streams and the global flags.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	repo.Repo // until prepare, its directory is the value of -C
	json      bool
	quiet     bool
	verbose   bool
	color     string // --color
	all       bool   // --all, of the commands that print many findings
	cwd       string // where the command is started; "" is the working directory
	verb      string // the command that runs, such as "check" or "rules split"
	scope     string // its arguments, as typed

	reported bool // the command has printed its envelope
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if promptHook(args, stdin, stdout, stderr) {
		return exitDone
	}
	gctuning.Release()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ended := make(chan struct{})
	defer close(ended)
	context.AfterFunc(ctx, func() {
		stop() // a second Ctrl-C ends the process at once
		leave(ended, grace, func() {
			fmt.Fprintln(stderr, "packgen: error: interrupted\n    fix: run again; every file is complete, either old or new")
			os.Exit(exitMisuse)
		})
	})
	return runContext(ctx, args, stdin, stdout, stderr)
}

// grace is how long a command that was interrupted may take to end: there are steps, such
// as the parsing of one page of 50 MB, that nothing stops. What a process that ends at any
// moment leaves is whole.
const grace = 10 * time.Second

// leave calls exit unless the command ends before.
func leave(ended <-chan struct{}, after time.Duration, exit func()) {
	select {
	case <-ended:
	case <-time.After(after):
		exit()
	}
}

// runContext is run without signal handling: cancelling ctx interrupts the command.
func runContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newApp(stdin, stdout, stderr).run(ctx, args)
}

func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	a.Report = func(list []diag.Diagnostic) { a.printFindings(list, nil) }
	a.Note = func(text string) {
		if !a.quiet {
			fmt.Fprintln(a.stderr, text)
		}
	}
	a.Stages, a.Elsewhere = a.newStages, elsewhere.Opened
	return a
}

// newStages returns stages that show progress if standard error is a terminal.
func (a *app) newStages() *repo.Stages {
	return repo.NewStages(a.stderr, isTerminal(a.stderr) && !a.quiet && !a.json)
}

func (a *app) run(ctx context.Context, args []string) int {
	root := newRoot(a)
	if slices.ContainsFunc(args, asksCompletions) {
		a.addCompletions(root)
	}
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	// Flags before or after an error in the command line are not parsed.
	a.json = a.json || err != nil && slices.Contains(args, "--json")
	return a.finish(cmd, err)
}

// newRoot builds the command tree, without the completions.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "packgen",
		Short: "Turn knowledge packs into compiled views, a loadout index and a site",
		Long: `packgen turns a repository of knowledge packs into things an agent, a person
and a CI job can use: compiled views, a loadout index, a browsable site.

It never calls a model, never executes anything found in a pack, and needs no
network. The repository is the nearest directory with a packgen.yaml or .git, here
or above; it can be worked with from any directory in it.`,
		Version:       compiler.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.runState(cmd.Context()) },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.prepare(cmd)
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.DisableSuggestions = true // finish names the nearest command

	flags := root.PersistentFlags()
	flags.StringVarP(&a.Paths.Dir, "directory", "C", "", "run as if started in `DIR`")
	flags.StringVar(&a.ConfigPath, "config", "", "configuration `FILE` (default packgen.yaml of the repository, when it exists)")
	flags.StringArrayVar(&a.AllowRoots, "allow-root", nil, "let links and packgen.yaml of the repository lead into `DIR` outside of it")
	flags.StringVar(&a.color, "color", "auto", "colour the text `WHEN`: "+strings.Join(color.Choices(), ", "))
	flags.BoolVar(&a.json, "json", false, "print one JSON envelope instead of text")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "print more: findings of severity info, times, every file written")
	root.MarkFlagsMutuallyExclusive("quiet", "verbose")

	for _, g := range a.verbs() {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title + ":"})
		for _, cmd := range g.verbs {
			cmd.GroupID = g.id
			root.AddCommand(cmd)
		}
	}
	root.AddCommand(a.formerVerbs()...)
	settleBuiltins(root)
	return root
}

// finish prints the error that ended the command, if any, and returns the exit code.
func (a *app) finish(cmd *cobra.Command, err error) int {
	var end *endCode
	switch {
	case err == nil:
		return exitDone
	case cmd != nil && cmd.CommandPath() == "packgen hook" && cmd.Flags().NArg() == 0:
		return exitDone // the hook must not disturb a prompt
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errMisuse):
		return exitMisuse
	case errors.As(err, &end):
		return end.code
	}
	if errors.Is(err, context.Canceled) {
		err = diag.WithHint(fmt.Errorf("interrupted: %w", context.Canceled), "run again for the rest; every file is complete, either old or new")
	}
	err = suggestVerb(cmd, err)
	name := "packgen"
	if cmd != nil && cmd.HasParent() {
		name = strings.TrimPrefix(cmd.CommandPath(), "packgen ")
	}
	if a.json && !a.reported {
		a.printJSON(failure(name, err))
	}
	a.printError(err)
	return codeOf(err)
}

// flagError adds the nearest flag to the error about an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if near := nearest.Name(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" {
			return diag.WithHint(err, "did you mean --%s?", near)
		}
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		takes := map[string]string{"bool": "true or false", "int": "a whole number", "float64": "a number"}
		if what := takes[wrong.GetFlag().Value.Type()]; what != "" {
			return diag.WithHint(fmt.Errorf("--%s: wrong value %q", wrong.GetFlag().Name, wrong.GetValue()), "write %s", what)
		}
	}
	return diag.WithHint(err, "run %q for the flags", cmd.CommandPath()+" --help")
}

// flagNames returns the long names of the flags of a command.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return names
}
