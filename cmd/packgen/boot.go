package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/resolver/repo"
)

type bootFlags struct {
	role      string
	usecases  []string
	skills    string
	report    bool
	budget    int
	failOn    string
	ifPresent bool
	refs      string
}

func newBoot(a *app) *cobra.Command {
	var f bootFlags
	cmd := &cobra.Command{
		Use:   "boot --role DIR",
		Short: "Print what an agent with a role reads at its start, by the role's boot.yml",
		Long: `boot prints the briefs and skills of a role for an agent to read: the content of
those that its boot.yml says, the path of those that it only refers to. A role is
a directory with briefs/ and skills/, or a pack that carries a boot.yml; without
a boot.yml everything is said.

Everything is checked before anything is printed. The exit code is 1 when the
role is at fault or the boot exceeds its budget, 2 for a usecase that the role
does not have.`,
		Example: `  packgen boot --role roles/mechanic
  packgen boot --role roles/mechanic --usecase code.test,review
  packgen boot --role roles/mechanic --report
  packgen boot --role roles/mechanic --budget 20000 --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runBoot(cmd.Context(), f, cmd.Flags().Changed("usecase"), cmd.Flags().Changed("budget"))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.role, "role", "", "the role: a `DIR` with briefs/ and skills/, or a pack with a boot.yml")
	keepPath(flags, "role")
	flags.StringArrayVar(&f.usecases, "usecase", nil, "boot always and the `SUBJECTS` named here alone, separated by commas")
	alsoNamed(cmd, map[string]string{"subject": "usecase"})
	flags.BoolVar(&f.ifPresent, "if-present", false, "print nothing, and do not fail, when there is no such role")
	flags.StringVar(&f.skills, "skills", "full", "the `FORM` in which said skills are printed: full, or header for their leading comment alone")
	flags.StringVar(&f.refs, "refs", "lines", "the `FORM` of path-only lines: lines, or compact with their folder once")
	flags.BoolVar(&f.report, "report", false, "print what the boot costs and what in boot.yml has no effect, instead of the boot")
	flags.IntVar(&f.budget, "budget", 0, "refuse a boot of more than `TOKENS` (default the budget of boot.yml)")
	flags.StringVar(&f.failOn, "fail-on", gateWords[0], "refuse the boot for findings of this `SEVERITY` or above: error or warning; unknown keys and globs that match nothing are warnings")
	return cmd
}

func (a *app) runBoot(ctx context.Context, f bootFlags, chosen, capped bool) error {
	opts, err := f.options(chosen, capped)
	if err != nil {
		return err
	}
	if err := a.Load(); err != nil {
		return err
	}
	role, name, err := repo.OpenRole(&a.Repo, f.role)
	if f.ifPresent && f.role != "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer role.Close() // only read
	if f.report {
		report, err := role.Report(ctx, opts)
		if err != nil {
			return fmt.Errorf("report on %s: %w", name, err)
		}
		return a.printBoot(name, report.Boot, report)
	}
	result, err := role.Boot(ctx, opts)
	if err != nil {
		return fmt.Errorf("boot %s: %w", name, err)
	}
	return a.printBoot(name, result, nil)
}

// options turns the flags into the options of a boot.
func (f *bootFlags) options(chosen, capped bool) (boot.Options, error) {
	opts := boot.Options{Budget: f.budget, Strict: f.failOn == diag.Warning.String(), Headers: f.skills == "header", Compact: f.refs == "compact"}
	if err := errors.Join(oneOf("--skills", f.skills, "full", "header"), oneOf("--refs", f.refs, "lines", "compact"), oneOf("--fail-on", f.failOn, gateWords[:2]...)); err != nil {
		return opts, err
	}
	if capped && f.budget <= 0 {
		return opts, diag.WithHint(errors.New("--budget needs a positive number of tokens"), "write a number, such as --budget 20000")
	}
	if chosen {
		opts.Usecases = strings.Split(strings.Join(f.usecases, ","), ",")
	}
	return opts, nil
}

// bootEnvelope is the JSON form of a boot. Result is nil when an error in the role or in
// the selection refused it.
type bootEnvelope struct {
	envelope
	Role   string       `json:"role"`
	Result *boot.Result `json:"result,omitempty"`
	Report *boot.Report `json:"report,omitempty"`
}

// printBoot prints a boot, or the report on it, and returns the error that sets the exit
// code.
func (a *app) printBoot(name string, result *boot.Result, report *boot.Report) error {
	switch {
	case a.json:
		a.printBootJSON(name, result, report)
	case report != nil && (!result.Refused() || result.Budget != nil):
		a.printFindings(result.WithoutReported(), nil)
		fmt.Fprintf(a.stdout, "%s  mode %s\n\n", a.painterFor(a.stdout).Bold(diag.Printable(name)), report.Boot.Mode)
		report.WriteText(a.stdout, a.verbose)
		report.Boot.WriteRemedies(a.stderr)
	default:
		a.printFindings(result.WithoutRemedies(), nil)
		if err := a.renderBoot(result); err != nil {
			return err
		}
		result.WriteRemedies(a.stderr)
	}
	switch {
	case slices.ContainsFunc(result.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == boot.IDUsecase }):
		return errMisuse
	case result.Refused():
		return errFindings
	}
	return nil
}

// renderBoot prints the text form; a refused boot prints nothing.
func (a *app) renderBoot(result *boot.Result) error {
	if result.Refused() {
		return nil
	}
	if isTerminal(a.stdout) { // the content may hold escape sequences
		var text strings.Builder
		if err := result.Render(&text); err != nil {
			return fmt.Errorf("print the boot: %w", err)
		}
		return a.printText(text.String())
	}
	w := bufio.NewWriterSize(a.stdout, 1<<16)
	if err := errors.Join(result.Render(w), w.Flush()); err != nil {
		return fmt.Errorf("print the boot: %w", err)
	}
	return nil
}

func (a *app) printBootJSON(name string, result *boot.Result, report *boot.Report) {
	refused := result.Refused()
	e := bootEnvelope{
		envelope: envelope{OK: !refused, Status: schema.Passed, Command: "boot", Findings: findingsOf(result.Diagnostics)},
		Role:     name, Result: result, Report: report,
	}
	if refused {
		e.Status = schema.Failed
	}
	if refused && result.Budget == nil {
		e.Result, e.Report = nil, nil
	}
	if e.Report != nil {
		e.Result = nil // the report holds it
	}
	a.printJSON(e)
}
