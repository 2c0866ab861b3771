package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/regularfile"
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

// runState prints the state of the repository and the next step.
func (a *app) runState(ctx context.Context) error {
	if err := a.Load(); err != nil {
		return err
	}
	s, err := repo.Look(ctx, &a.Repo)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(struct {
			envelope
			repo.State
		}{envelopeOf("packgen", nil), *s})
		return nil
	}
	w := a.stdout
	if s.Packs == 0 {
		fmt.Fprintf(w, "no knowledge packs in %s\n", diag.Printable(s.Dir))
	} else {
		fmt.Fprintf(w, "%s: %s, %s, %s, %s\n", diag.Printable(s.Dir), amount.Counted(s.Packs, "pack"),
			outdatedText(s.Outdated), amount.Counted(s.Errors, "error"), amount.Counted(s.Warnings, "warning"))
		site := "not built yet"
		if s.Site != "" {
			site = diag.Printable(s.Site)
		}
		fmt.Fprintf(w, "site: %s\n", site)
	}
	fmt.Fprintf(w, "next: %s  %s\n", s.Next, s.Why)
	if !a.quiet {
		fmt.Fprintln(a.stderr, "packgen --help lists the commands")
	}
	return nil
}

func outdatedText(n int) string {
	if n == 0 {
		return "all compiled"
	}
	return amount.Grouped(n) + " to compile"
}

// suggestVerb adds to the error about an unknown command the one that was probably meant:
// one of the same meaning, otherwise one with a similar name.
func suggestVerb(cmd *cobra.Command, err error) error {
	var name string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for", &name); n == 0 || cmd == nil || diag.HintOf(err) != "" {
		return err
	}
	if hint := meanings()[strings.ToLower(name)]; hint != "" && !cmd.HasParent() {
		return diag.WithHint(err, "%s", hint)
	}
	var verbs []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			verbs = append(verbs, c.Name())
		}
	}
	if near := nearestVerb(name, verbs); near != "" {
		return diag.WithHint(err, "did you mean %s?", near)
	}
	return diag.WithHint(err, "run %q for the commands", cmd.CommandPath()+" --help")
}

// minPrefix is the number of letters from which a prefix means a command.
const minPrefix = 3

// nearestVerb returns the command with the most similar name, or the only one that begins
// with it.
func nearestVerb(name string, verbs []string) string {
	if near := nearest.Name(name, verbs); near != "" || len(name) < minPrefix {
		return near
	}
	begin := ""
	for _, verb := range verbs {
		switch {
		case !strings.HasPrefix(verb, strings.ToLower(name)):
		case begin != "":
			return ""
		default:
			begin = verb
		}
	}
	return begin
}

// meanings maps the words that other tools use to the command for the same act.
func meanings() map[string]string {
	const (
		check   = "did you mean check? packgen check finds what is wrong, and packgen check --record checks JSON records"
		publish = "run packgen build for the site to publish, packgen pack for the archive of one pack, or packgen push to write packs to a registry"
		find    = "did you mean resolve? packgen resolve prints what answers a query, packgen match shows which entries a task selects"
		fetch   = "did you mean pull? packgen pull brings packs from elsewhere"
		start   = "did you mean init? packgen init makes a knowledge repository, or with --name NAME adds a pack"
		show    = "did you mean layers? packgen layers lists the entries, packgen activate PACK what a pack holds"
		preview = "did you mean serve? packgen serve shows the site while you write"
		update  = "did you mean lock update? packgen lock update locks what references mean now"
		remove  = "run packgen prune cache or packgen prune runs to remove what is no longer needed"
	)
	return map[string]string{
		"lint": check, "verify-pack": check, "fmt": check, "format": check, "fix": "did you mean check? packgen check --fix fixes what can be fixed safely",
		"publish": publish, "upload": publish, "deploy": publish, "release": publish,
		"search": find, "find": find, "query": find, "ask": find, "grep": find, "get": fetch, "fetch": fetch, "download": fetch, "clone": fetch, "install": fetch, "add": fetch,
		"update": update, "upgrade": update,
		"new": start, "create": start, "start": start, "ls": show, "list": show, "show": show, "status": "did you mean check? packgen check finds what is wrong; without a command the program prints the state of the repository",
		"watch": preview, "dev": preview, "preview": preview, "server": preview,
		"clean": remove, "gc": remove, "remove": remove, "rm": remove,
		"test":  "did you mean eval? packgen eval runs evals and routing goldens, packgen check finds what is wrong",
		"rule":  "did you mean check? packgen check --explain RULE explains a finding",
		"cache": remove, "runs": remove,
		"index": "run packgen build for the index of packs, packgen memory index for that of a MEMORY.md",
		"site":  "run packgen build to write the site, or packgen serve to see it while you write",
		"docs":  "run packgen build to write the site, or packgen serve to see it while you write",
		"role":  "did you mean boot? packgen boot prints what a role says",
	}
}

// exitMismatch is the exit code when a digest or tree hash differs from the recorded one.
const exitMismatch = 3

// codeOf returns the exit code of an error that was printed. A full or read-only disk and
// a link where packgen writes are refusals, not wrong use.
func codeOf(err error) int {
	switch class := diag.ClassOf(err); {
	case class == diag.Mismatch:
		return exitMismatch
	case class == diag.Refused, diag.DiskFull(err), errors.Is(err, syscall.EROFS), errors.Is(err, regularfile.ErrLink):
		return exitFindings
	}
	return exitMisuse
}

// endCode ends a command that has printed its errors, with an exit code.
type endCode struct{ code int }

func (e *endCode) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// verbGroup is a group of commands, as help lists them.
type verbGroup struct {
	id, title string
	verbs     []*cobra.Command
}

// otherGroup is the id of the last group, which cobra's own commands join.
const otherGroup = "other"

// verbs returns all commands, grouped by what a person wants.
func (a *app) verbs() []verbGroup {
	return []verbGroup{
		{"build", "Build", []*cobra.Command{newInit(a), newBuild(a), newCompile(a), newServe(a), newCheck(a)}},
		{"try", "Try", []*cobra.Command{
			newMatch(a), newPlan(a), newExplain(a), newLayers(a), newResolve(a), newActivate(a), newEval(a), newQuestions(a), newDiff(a), newUsage(a),
		}},
		{"agents", "Give to agents", []*cobra.Command{newConnect(a), newMCP(a), newMemory(a), newRules(a), newHook(a), newBoot(a), newDoctor(a), newExport(a), newImport(a)}},
		{"share", "Share", []*cobra.Command{newPack(a), newPush(a), newPull(a), newLock(a), newVerify(a)}},
		{otherGroup, "Other", []*cobra.Command{newPrune(a), newSchema(a), newLSP(a), newVersion(a)}},
	}
}

// formerVerbs returns commands under the names that they have in the tools that packgen
// replaces. They work, are hidden, and print their new name.
func (a *app) formerVerbs() []*cobra.Command {
	return []*cobra.Command{
		grouping("; its name here is packgen memory", &cobra.Command{Use: "memories", Hidden: true, Long: "This is packgen memory under a former name."},
			a.formerly("index", "memory index", newMemoryIndex(a)), a.formerly("validate", "memory check", newMemoryCheck(a)),
			a.formerly("stats", "memory stats", newMemoryStats(a)), a.formerly("health", "memory health", newMemoryHealth(a))),
		a.formerly("refresh", "memory publish", newMemoryPublish(a)),
		a.formerly("dead", "usage dead", a.usageDeadVerb()), a.formerly("overlaps", "usage overlaps", a.usageOverlapsVerb()), a.formerly("budget", "usage budget", a.usageBudgetVerb()),
		a.formerly("report", "usage report", newUsageReport(a)),
		a.formerly("validate", "check --index", newValidateIndex(a)),
		a.formerly("validate-run", "check --record", newValidateRun(a)),
	}
}

// formerFlags maps the names of flags in those tools to ours.
var formerFlags = map[string]string{"dest": "out", "html": "out", "log": "usage"}

// nowKey is the annotation of a former command that holds its new name.
const nowKey = "packgen_now"

// formerly returns a command under a former name.
func (a *app) formerly(name, now string, cmd *cobra.Command) *cobra.Command {
	cmd.Use, cmd.Hidden = name+cmd.Use[len(cmd.Name()):], true
	cmd.Annotations = map[string]string{nowKey: now}
	cmd.Long = strings.TrimSpace(fmt.Sprintf("This is packgen %s under a former name.\n\n%s", now, cmd.Long))
	alsoNamed(cmd, formerFlags)
	return cmd
}

// alsoNamed lets flags of a command have other names too, which help does not list.
func alsoNamed(cmd *cobra.Command, names map[string]string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(cmp.Or(names[name], name))
	})
}

// noteFormer prints the new name of a command that was called by a former one.
func (a *app) noteFormer(cmd *cobra.Command) {
	now := cmd.Annotations[nowKey]
	if now == "" {
		return
	}
	if !a.quiet {
		fmt.Fprintf(a.stderr, "note: packgen %s is packgen %s\n", a.verb, now)
	}
	a.verb = now
}

// grouping returns a command that only groups others. Note ends the fix that names them.
func grouping(note string, cmd *cobra.Command, below ...*cobra.Command) *cobra.Command {
	var names []string
	for _, c := range below {
		if !c.Hidden || cmd.Hidden {
			names = append(names, c.Name())
		}
	}
	cmd.AddCommand(below...)
	cmd.Args = needsSubcommand(note, names...)
	cmd.RunE = func(*cobra.Command, []string) error { return nil }
	return cmd
}

// needsSubcommand refuses arguments that are not one of the commands that are named.
func needsSubcommand(note string, names ...string) cobra.PositionalArgs {
	hint := "write " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + note
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return diag.WithHint(fmt.Errorf("%s needs a subcommand", cmd.Name()), "%s", hint)
		}
		text := hint
		if near := nearest.Name(args[0], names); near != "" {
			text = fmt.Sprintf("did you mean %s? ", near) + hint
		}
		return diag.WithHint(fmt.Errorf("unknown subcommand %q of %s", args[0], cmd.Name()), "%s", text)
	}
}

// prepare finds the repository of the working directory and makes the paths in flags
// relative to it.
func (a *app) prepare(cmd *cobra.Command) error {
	a.verb = strings.TrimPrefix(cmd.CommandPath(), "packgen ")
	a.noteFormer(cmd)
	if err := errors.Join(oneOf("--color", a.color, color.Choices()...), checkTimeout(a.Timeout)); err != nil {
		return err
	}
	start, err := a.startDir()
	if err != nil {
		return fmt.Errorf("find the working directory: %w", err)
	}
	info, err := os.Stat(start)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return diag.Absent("directory", a.Paths.Dir, "name the directory that holds the packs")
	case err != nil:
		return fmt.Errorf("-C %s: %w", a.Paths.Dir, err)
	case !info.IsDir():
		return diag.WithHint(fmt.Errorf("-C %s: not a directory", a.Paths.Dir), "name the directory that holds the packs")
	}
	a.Find(start)
	err = a.settlePaths(cmd)
	a.Allow()
	return err
}

// startDir returns the absolute path of the directory that the command works in.
func (a *app) startDir() (string, error) {
	if a.cwd != "" && !filepath.IsAbs(a.Paths.Dir) {
		return filepath.Join(a.cwd, a.Paths.Dir), nil
	}
	return filepath.Abs(a.Paths.Dir)
}

// notOfStart is the annotation of a flag whose value is not relative to the working
// directory.
const notOfStart = "packgen_not_of_start"

// keepPath leaves the values of a flag as they are typed.
func keepPath(flags *pflag.FlagSet, name string) {
	if err := flags.SetAnnotation(name, notOfStart, nil); err != nil {
		panic(err) // the flag is not defined: a bug
	}
}

// settlePaths makes the values of flags that take a path relative to the repository, as all
// paths are within the program. Their usage names a FILE, DIR or PATH. A value that is the
// next flag was forgotten.
func (a *app) settlePaths(cmd *cobra.Command) error {
	var faults []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		what, _ := pflag.UnquoteUsage(f)
		isPath := what == "FILE" || what == "DIR" || what == "PATH"
		if isPath || what == "COMMAND" || what == "PROGRAM" || what == "ADDR" || what == "HASH" {
			faults = append(faults, checkFlagValue(f.Name, what, strings.TrimPrefix(f.Value.String(), "[")))
		}
		if _, kept := f.Annotations[notOfStart]; kept || !isPath || f.Name == "directory" {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values := list.GetSlice()
			for i, value := range values {
				values[i] = a.Paths.Given(value)
			}
			faults = append(faults, list.Replace(values))
			return
		}
		faults = append(faults, f.Value.Set(a.Paths.Given(f.Value.String())))
	})
	return errors.Join(faults...)
}

// checkFlagValue refuses a value that is the next flag: the value itself was forgotten
// (loadout section 18).
func checkFlagValue(name, what, value string) error {
	if !strings.HasPrefix(value, "--") {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--%s was given without a value (the next word %q is a flag, not a value)", name, value),
		"give a value: --%s=%s", name, what)
}
