package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/agent/connect"
	"github.com/packgen/packgen/resolver/agent/doctor"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/repo"
)

// newHook returns the hook command. Prompts themselves are answered by promptHook; this is
// the help and the subcommands.
func newHook(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Answer a submitted prompt with pointers to memories",
		Long: `hook reads the event of a submitted prompt on standard input and answers with
pointers to at most five entries that fit it, in at most 200 tokens. It looks at
the memories of the global index and, in the repository that the event's cwd is in,
at the built packs, the locked packs and the rules; what is nearer wins. With
--inject it answers with the text that the entries lead to, fenced.

An agent runs it on every prompt; "packgen hook install" tells the agent to. It
uses the matcher that packgen.yaml or --matcher names, otherwise the weighted one,
which takes the forms of a word for one, notes what it pointed to in the usage log, and never
disturbs a prompt: whatever is wrong, it says nothing and exits with 0.

  AI_LOADOUT_HOOK=off         be silent
  AI_LOADOUT_HOOK=debug       explain on standard error
  AI_LOADOUT_MIN_SCORE=0.4    the score from which an entry is pointed to

--record-misses notes the words of prompts that nothing matched in misses.jsonl
beside the index, sorted and without words of more than 24 letters, at most 1 MiB
of them. The text of a prompt is never written.`,
		Example: `  echo '{"prompt":"fix the release"}' | packgen hook` + "\n  packgen hook test --prompt 'fix the release'\n  packgen hook install",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return needsSubcommand("; without one it reads a prompt", "install", "uninstall", "test")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			promptHook(append([]string{"hook"}, hookArguments(cmd)...), a.stdin, a.stdout, a.stderr)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.String("matcher", "weighted", "the `DIALECT` that makes hits a score: "+dialectNames())
	flags.Int("reserve", 0, "keep `N` of the five pointers for domain entries")
	flags.String("project", "", "look for the project and its packs in `DIR` (default the directory that the event names)")
	flags.String("inject", "", fmt.Sprintf("put the text itself in place of pointers, in at most `TOKENS` (default %d)", hook.DefaultInject))
	flags.Lookup("inject").NoOptDefVal = fmt.Sprint(hook.DefaultInject)
	flags.Bool("record-misses", false, "note the words of prompts that nothing matched")
	flags.Duration("time-limit", hook.DefaultTimeLimit, "end silently after `TIME`")
	cmd.AddCommand(newHookInstall(a), newHookUninstall(a), newHookTest(a))
	return cmd
}

// hookArguments returns the hook's flags as they were given, for a command line that begins
// with a global flag.
func hookArguments(cmd *cobra.Command) []string {
	var args []string
	for _, name := range []string{"matcher", "reserve", "project", "inject", "record-misses", "time-limit"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			args = append(args, "--"+name+"="+f.Value.String())
		}
	}
	return args
}

// globalIndex and usageLog are the global layer's index and the usage log in the home directory.
const globalIndex, usageLog = ".ai-loadout/index.json", ".ai-loadout/usage.jsonl"

// homeFile returns the absolute path of the file that a flag names, by default that of a
// file in the user's home directory.
func (a *app) homeFile(flag, value, byDefault string) (string, error) {
	if value != "" {
		return a.Paths.Abs(value), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", diag.WithHint(fmt.Errorf("find the home directory: %w", err), "set HOME, or name the file with --%s", flag)
	}
	return a.Paths.Abs(filepath.Join(home, filepath.FromSlash(byDefault))), nil
}

type hookTestFlags struct {
	prompt  string
	index   string
	reserve int
	project string
	inject  int
}

func newHookTest(a *app) *cobra.Command {
	var f hookTestFlags
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Show what the hook answers to a prompt, without a trace",
		Long: `test runs the hook in a home directory of its own, with a copy of the index, so
that the usage log stays as it is. The project and the packs are those of this
directory.`,
		Example: "  packgen hook test --prompt 'fix the release workflow'",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.runHookTest(f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.prompt, "prompt", "fix the ci workflow and publish a release", "the `TEXT` of the prompt")
	flags.StringVar(&f.index, "index", "", "index `FILE` (default .ai-loadout/index.json in the home directory)")
	flags.IntVar(&f.reserve, "reserve", 0, "keep `N` of the five pointers for domain entries")
	flags.StringVar(&f.project, "project", "", "look for the project and its packs in `DIR` (default this directory, without --index)")
	flags.IntVar(&f.inject, "inject", 0, "put the text itself in place of pointers, in at most `TOKENS`")
	flags.Lookup("inject").NoOptDefVal = fmt.Sprint(hook.DefaultInject)
	return cmd
}

func (a *app) runHookTest(f hookTestFlags) error {
	if err := checkFlagValue("prompt", "TEXT", f.prompt); err != nil {
		return err
	}
	if err := connect.CheckReserve(f.reserve); err != nil {
		return err
	}
	name, err := a.homeFile("index", f.index, globalIndex)
	if err == nil && f.index != "" {
		err = a.checkHookIndex(f.index)
	}
	if err != nil {
		return err
	}
	dir := ""
	switch {
	case f.project != "":
		dir = a.Paths.Abs(f.project)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return diag.Absent("directory", a.Paths.Rel(dir), "name the directory of a project with --project DIR")
		}
	case f.index == "":
		dir = a.Paths.Start
	}
	result, err := doctor.TryHook(name, dir, f.prompt, hook.Options{Reserve: f.reserve, Inject: f.inject})
	if err != nil {
		return diag.WithHint(fmt.Errorf("try the hook: %w", err), "name an index with --index FILE, and make room in the directory for temporary files, or name another one with TMPDIR")
	}
	if a.json {
		a.printJSON(struct {
			envelope
			Prompt string        `json:"prompt"`
			Result *doctor.Trial `json:"result"`
		}{envelopeOf("hook test", nil), f.prompt, result})
		return nil
	}
	if result.Injected {
		fmt.Fprintln(a.stdout, *result.AdditionalContext)
	} else {
		fmt.Fprintf(a.stdout, "silent: %s\n", result.Note)
		if !a.verbose && strings.Contains(result.Stderr, "near miss: ") {
			fmt.Fprintln(a.stdout, "-v shows what nearly matched")
		}
	}
	if a.verbose {
		fmt.Fprint(a.stderr, result.Stderr)
	}
	return nil
}

// checkHookIndex reports an index that the hook cannot read, about which the hook itself
// would be silent.
func (a *app) checkHookIndex(name string) error {
	if strings.HasSuffix(name, ".bin") {
		return diag.WithHint(fmt.Errorf("%s is not an index.json", name), "name the index.json beside it; the hook finds what belongs to it by itself")
	}
	_, err := repo.ReadMatcherFor(a.Paths, name, "run packgen memory publish, or packgen build where packgen.yaml names loadout.project")
	return err
}

func newHookInstall(a *app) *cobra.Command {
	var f wiringFlags
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Tell the agent to run the hook on every prompt",
		Long: `install adds the hook to the agent's settings.json and shows the difference.
Everything else in the file stays as it is, to the byte; the file as it was is
kept as settings.json.bak, unless there is one. Done twice, the second changes
nothing. A file that is not JSON, such as one with comments, is left alone.`,
		Example: "  packgen hook install --dry-run\n  packgen hook install --settings .claude/settings.json --reserve 2",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			command, err := connect.CommandLine(f.command, f.HookFlags)
			if err != nil {
				return err
			}
			return a.runWiring("hook install", f, command)
		},
	}
	f.register(cmd.Flags())
	flags := cmd.Flags()
	flags.StringVar(&f.command, "command", "", "the `COMMAND` to run (default packgen-hook beside this program, otherwise this program)")
	flags.IntVar(&f.Reserve, "reserve", 0, "keep `N` of the five pointers for domain entries")
	flags.StringVar(&f.Inject, "inject", "", "put the text itself in place of pointers, in at most `TOKENS`")
	flags.Lookup("inject").NoOptDefVal = fmt.Sprint(hook.DefaultInject)
	flags.BoolVar(&f.Misses, "record-misses", false, "note the words of prompts that nothing matched")
	return cmd
}

func newHookUninstall(a *app) *cobra.Command {
	var f wiringFlags
	cmd := &cobra.Command{
		Use:     "uninstall",
		Short:   "Take the hook out of the agent's settings",
		Long:    "uninstall takes packgen's hook out of the agent's settings.json and shows the\ndifference. Everything else in the file stays as it is; a file and a .bak that hold\nnothing else go.",
		Example: "  packgen hook uninstall --dry-run",
		Args:    noArguments,
		RunE:    func(*cobra.Command, []string) error { return a.runWiring("hook uninstall", f, "") },
	}
	f.register(cmd.Flags())
	return cmd
}

const settingsUsage = "settings `FILE` of the agent (default settings.json of Claude Code, in the home directory or where CLAUDE_CONFIG_DIR says)"

// wiringFlags are the flags of the commands that edit an agent's settings.
type wiringFlags struct {
	connect.HookFlags
	settings, command string
	dryRun            bool
}

func (f *wiringFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.settings, "settings", "", settingsUsage)
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the difference and write nothing")
}

// settingsFile is the settings file that a flag names, by default that of Claude Code.
func (a *app) settingsFile(named string) (string, error) {
	home, _ := os.UserHomeDir()
	if settings := connect.ClaudeSettings(home, a.Getenv); named == "" && settings != "" {
		return settings, nil
	}
	return a.homeFile("settings", named, ".claude/settings.json")
}

// runWiring has a settings file run a command as the hook, or takes the hook out without one.
func (a *app) runWiring(verb string, f wiringFlags, command string) error {
	name, err := a.settingsFile(f.settings)
	if err != nil {
		return err
	}
	c, err := connect.Settings(name, a.Paths.Rel(name), command)
	if err != nil {
		return err
	}
	if err := a.applyChanges([]*connect.Change{c}, f.dryRun); err != nil {
		return err
	}
	out := connect.Report([]*connect.Change{c}, f.dryRun, a.Paths.Rel)[0]
	if a.json {
		a.printJSON(struct {
			envelope
			Settings string   `json:"settings"`
			DryRun   bool     `json:"dry_run"`
			Changed  bool     `json:"changed"`
			Backup   string   `json:"backup,omitempty"`
			Diff     []string `json:"diff"`
		}{envelopeOf(verb, nil), out.Path, f.dryRun, c.Changes(), out.Backup, orEmpty(out.Diff)})
		return nil
	}
	if !c.Changes() {
		fmt.Fprintf(a.stdout, "%s: nothing to change\n", diag.Printable(out.Path))
	} else {
		a.printStates([]connect.FileReport{out})
	}
	return nil
}

// applyChanges shows what becomes of each file, and then writes it.
func (a *app) applyChanges(list []*connect.Change, dryRun bool) error {
	p := a.painterFor(a.stdout)
	for _, c := range list {
		if a.json || !c.Changes() {
			continue
		}
		fmt.Fprintf(a.stdout, "%s\n", p.Bold(diag.Printable(a.Paths.Rel(c.Path))))
		a.printLineDiff(c.Diff)
	}
	if dryRun {
		return nil
	}
	return connect.Apply(list)
}

// printStates says what became of each file, what the user has left to do, and which hooks of
// other systems answer too.
func (a *app) printStates(files []connect.FileReport) {
	for _, out := range files {
		if !a.quiet {
			kept := ""
			if out.Backup != "" {
				kept = "; the file as it was is " + out.Backup
			}
			fmt.Fprintf(a.stderr, "%s: %s (%s)%s\n", diag.Printable(out.Path), out.State, out.For(), diag.Printable(kept))
		}
		if out.Next != "" {
			fmt.Fprintf(a.stderr, "next: %s\n", diag.Printable(out.Next))
		}
		for _, command := range out.Others {
			fmt.Fprintf(a.stderr, "warning: %s also runs %s: --replace-hooks takes it out, otherwise both answer each prompt\n", diag.Printable(out.Path), diag.Printable(command))
		}
		for _, command := range out.Gone {
			fmt.Fprintf(a.stderr, "warning: %s was changed since packgen's hook replaced %s: put that back from %s.bak if you want it\n", diag.Printable(out.Path), diag.Printable(command), diag.Printable(out.Path))
		}
	}
}

// printLineDiff prints the lines of a difference.
func (a *app) printLineDiff(lines []string) {
	p := a.painterFor(a.stdout)
	for _, line := range lines {
		line = diag.Printable(line)
		switch line[0] {
		case '+':
			line = p.Green(line)
		case '-':
			line = p.Red(line)
		}
		fmt.Fprintln(a.stdout, line)
	}
}

// promptHook runs the prompt hook if the command line asks for it, and reports whether it
// did. It runs on every prompt, so it comes before the command tree is built. It ignores
// unknown flags, because a hook that fails may block the prompt.
func promptHook(args []string, stdin io.Reader, stdout, stderr io.Writer) bool {
	if len(args) == 0 || args[0] != "hook" {
		return false
	}
	args = args[1:]
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") || namesVerb(args) {
		return false
	}
	hook.Main(args, stdin, stdout, stderr)
	return true
}

// namesVerb reports whether the arguments name a subcommand: a word that is neither a flag
// nor a flag's value, or a first word that is close to one.
func namesVerb(args []string) bool {
	for i, word := range args {
		switch {
		case strings.HasPrefix(word, "-"), i > 0 && slices.Contains(hookValues, args[i-1]):
		case slices.Contains(hookVerbs, word), i == 0 && nearest.Name(word, hookVerbs) != "":
			return true
		}
	}
	return false
}

// hookVerbs are the subcommands of hook, hookValues its flags that take a value.
var (
	hookVerbs  = []string{"install", "uninstall", "test"}
	hookValues = []string{"--project", "--reserve", "--time-limit"}
)
