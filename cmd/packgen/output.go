package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/build"
)

// envelope is the head of what --json prints (agent-knowledge section 17.2). A command
// embeds it and adds its own keys.
type envelope struct {
	OK       bool          `json:"ok"`     // no finding is an error
	Status   schema.Status `json:"status"` // passed, needs-review, stale, disputed or failed
	Command  string        `json:"command"`
	Pack     string        `json:"pack,omitempty"` // when the command is about one pack
	Findings []finding     `json:"findings"`
}

// finding is a diagnostic in the envelope.
type finding = diag.Finding

func findingsOf(list []diag.Diagnostic) []finding { return diag.Findings(list) }

// failure returns the envelope of a command that could not do its work.
func failure(command string, err error) envelope {
	f := finding{Severity: diag.Error, Message: secret.Redact(err.Error()), Hint: diag.HintOf(err)}
	var faults *repo.Faults
	if errors.As(err, &faults) {
		return envelope{Status: schema.Failed, Command: command, Findings: findingsOf(faults.List)}
	}
	return envelope{Status: schema.Failed, Command: command, Findings: []finding{f}}
}

// printJSON writes v to standard output as indented JSON.
func (a *app) printJSON(v any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		a.reported = true
		fmt.Fprintf(a.stderr, "packgen: print the result: %v\n", err)
		return
	}
	a.printed(a.writeJSON(text.Bytes()))
}

// writeJSON writes JSON to standard output, with invisible and control characters as
// escapes: it may quote text from anywhere, and a terminal or an agent may read it.
func (a *app) writeJSON(text []byte) error {
	a.reported = true
	_, err := a.stdout.Write(diag.EscapeJSON(text))
	return err
}

// printed reports a failure to write the output.
func (a *app) printed(err error) {
	if err != nil {
		fmt.Fprintf(a.stderr, "packgen: print the result: %v\n", err)
	}
}

// part is one key of an envelope with its value: JSON text, or a value to encode.
type part struct {
	key   string
	value any
}

// printParts prints an envelope: the keys of the struct head, then the parts. JSON text,
// which may be megabytes, is neither checked nor copied again.
func (a *app) printParts(head any, parts ...part) {
	out, err := schema.Compact(head)
	out = bytes.TrimSuffix(out, []byte("}"))
	for _, p := range parts {
		text, done := p.value.([]byte)
		if !done && err == nil {
			text, err = schema.Compact(p.value)
		}
		out = append(fmt.Appendf(out, ",%q:", p.key), text...)
	}
	if err != nil {
		a.reported = true
		a.printed(err)
		return
	}
	out = append(out, '}')
	out = append(indexjson.Indent(make([]byte, 0, 2*len(out)), loadout.Value(out)), '\n')
	a.printed(a.writeJSON(out))
}

// printError writes an error and its hint as text.
func (a *app) printError(err error) {
	p := a.painterFor(a.stderr)
	var faults *repo.Faults
	if errors.As(err, &faults) {
		a.printFindings(faults.List, nil)
		return
	}
	fmt.Fprintf(a.stderr, "packgen: %s %s\n", p.Red("error:"), diag.Printable(secret.Redact(err.Error())))
	if hint := diag.HintOf(err); hint != "" {
		fmt.Fprintf(a.stderr, "    %s\n", diag.Printable(diag.Advice(hint)))
	}
}

// painterFor returns a painter for what is written to w.
func (a *app) painterFor(w io.Writer) color.Painter {
	return color.Painter(color.Wanted(a.color, isTerminal(w), os.Getenv))
}

// isTerminal reports whether somebody reads what is written to w: it is a character device,
// and not the one that drops everything.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// Limits of a list of findings without --all.
const (
	findingsOfARule = 10
	findingsInAll   = 50
)

// allUsage is the help text of --all.
const allUsage = "print every finding, not the first of each kind"

// printFindings writes diagnostics as text, file by file: one line each, the hint below it,
// and after the first of a rule how many more there are. dirs maps a pack's name to its
// directory, so that printed paths can be opened from the working directory.
func (a *app) printFindings(list []diag.Diagnostic, dirs map[string]string) {
	o := diag.RenderOptions{Path: func(d diag.Diagnostic) string {
		if dir := dirs[d.Pack]; dir != "" && d.Pack != "" {
			return path.Join(dir, d.Path)
		}
		return d.Path
	}}
	if err := a.digest(list, o); err != nil {
		fmt.Fprintf(a.stderr, "packgen: print the findings: %v\n", err)
	}
}

// printDrafts names the drafts that are left out, once: with -v they are among the
// findings.
func (a *app) printDrafts(list []diag.Diagnostic, dirs map[string]string) {
	for _, d := range list {
		if d.ID == pack.IDDraft && !a.verbose {
			fmt.Fprintf(a.stderr, "%s: %s\n", diag.Printable(dirs[d.Pack]), diag.Printable(d.Message))
		}
	}
}

// digest writes the diagnostics that the global flags select to standard error.
func (a *app) digest(list []diag.Diagnostic, o diag.RenderOptions) error {
	shown := make([]diag.Diagnostic, 0, len(list))
	for _, d := range list {
		if d.Severity == diag.Info && !a.verbose || d.Severity == diag.Warning && a.quiet {
			continue
		}
		shown = append(shown, d)
	}
	o.Color = bool(a.painterFor(a.stderr))
	d := diag.DigestOptions{RenderOptions: o, Rest: a.rest}
	if !a.all {
		d.PerKind, d.Limit = findingsOfARule, findingsInAll
	}
	return diag.Digest(a.stderr, shown, d)
}

// rest returns the command that prints every finding of a rule.
func (a *app) rest(id string) string {
	flag := " --all"
	if a.scope != "" {
		flag = " " + a.scope + flag
	}
	if a.verbose {
		flag += " -v"
	}
	switch a.verb {
	case "build":
		if id == "published-too-large" { // only a site reports it
			return "packgen build" + flag
		}
		return "packgen check" + flag
	case "compile", "check":
		return "packgen check" + flag
	}
	return "packgen " + a.verb + " --json"
}

// gate is --fail-on: the lowest severity that makes the exit code 1.
type gate struct{ failOn string }

// gateWords are the values of --fail-on.
var gateWords = [...]string{diag.Error.String(), diag.Warning.String(), "never"}

// register adds the flag to a command.
func (g *gate) register(flags *pflag.FlagSet) {
	flags.StringVar(&g.failOn, "fail-on", gateWords[0], "exit with 1 for findings of this `SEVERITY` or above: error, warning or never")
}

func (g *gate) check() error { return oneOf("--fail-on", g.failOn, gateWords[:]...) }

// closed reports whether findings make the exit code 1.
func (g *gate) closed(list []diag.Diagnostic) bool {
	return g.closedFor(diag.Count(list, diag.Error) > 0, diag.Count(list, diag.Warning) > 0)
}

// closedFor is closed for errors and warnings that are not diagnostics.
func (g *gate) closedFor(errors, warnings bool) bool {
	return g.failOn != "never" && (errors || warnings && g.failOn == diag.Warning.String())
}

// verdict ends a command that has printed its findings: an error among them makes the exit
// code 1.
func verdict(findings []diag.Diagnostic) error {
	if diag.Count(findings, diag.Error) > 0 {
		return errFindings
	}
	return nil
}

// writeOutput writes the report to the file of --out. A relative path stays below the
// repository root (agent-knowledge section 18.1); an absolute path is taken as the caller's
// consent. It overwrites only an earlier report, and never writes into packs, .git or
// packgen's own directories.
func (r *checkReport) writeOutput() error {
	name := r.f.out
	target := r.Paths.Abs(name)
	if !filepath.IsAbs(name) && !filepath.IsLocal(name) {
		return diag.WithHint(fmt.Errorf("--out %s leads out of %s", name, r.Paths.Dir), "name a file below it, or give an absolute path")
	}
	for _, dir := range r.Dirs {
		rel, err := filepath.Rel(r.Paths.Abs(dir), target)
		if err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(filepath.ToSlash(rel), "runs/") {
			return diag.WithHint(fmt.Errorf("--out %s lies in a pack", name), "name a file in runs/ of the pack")
		}
	}
	if err := check.MayReport(&r.Repo, name, target); err != nil {
		return err
	}
	text, err := r.inFormat(r.f.format)
	if err != nil {
		return err
	}
	if r.f.dryRun {
		to := r.stdout
		if r.json {
			to = r.stderr // standard output holds the envelope
		}
		fmt.Fprintf(to, "would write %s\n", diag.Printable(name))
		return nil
	}
	dir, base := filepath.Split(target)
	if filepath.IsAbs(name) {
		err = atomicfile.WriteBelow(dir, base, text, false)
	} else {
		err = atomicfile.WriteBelow(r.Paths.Dir, filepath.ToSlash(filepath.Clean(name)), text, false)
	}
	if err != nil {
		return repo.ExplainWrite(fmt.Errorf("write %s: %w", name, err))
	}
	return nil
}

// registerSigning adds the flags of commands that sign packs.
func registerSigning(flags *pflag.FlagSet, o *build.SignOptions) {
	flags.BoolVar(&o.Sign, "sign", false, "sign with the identity of the CI job, or with the key of --sign-key or PACKGEN_SIGN_KEY")
	flags.StringVar(&o.Key, "sign-key", "", "sign with the private key in `FILE` (PEM); PACKGEN_SIGN_PASSWORD is its password")
	flags.StringVar(&o.Config, "sign-config", "", "sign by the servers of a private Sigstore, as the signing_config.json in `FILE` lists them; PACKGEN_SIGN_CONFIG")
}

// printSigner says who signed, when anybody did.
func (a *app) printSigner(who string) {
	if who != "" {
		fmt.Fprintf(a.stdout, "%-9s  by %s\n", "signed", diag.Printable(who))
	}
}

// fromFlags are the flags that name packs from elsewhere.
type fromFlags struct {
	from    []string
	offline bool
}

// registerNetwork adds the flags of commands that ask servers.
func (a *app) registerNetwork(flags *pflag.FlagSet) {
	flags.DurationVar(&a.Timeout, "timeout", fetch.DefaultHeader, "give up a request after `TIME` without progress, such as 30s; no download takes more than 10 minutes")
	n := &a.Network
	flags.StringVar(&n.CA, "cacert", "", "also trust the certificate authorities in `FILE` (PEM); PACKGEN_CACERT")
	flags.StringVar(&n.Cert, "cert", "", "show servers the certificate in `FILE` (PEM); PACKGEN_CERT")
	flags.StringVar(&n.Key, "key", "", "the `FILE` of the key of --cert, when it is another (PEM); PACKGEN_KEY")
	flags.StringArrayVar(&n.Mirrors, "mirror", nil, "ask at TO what begins with FROM, as `FROM=TO`: addresses of sites, or oci:// places; may be repeated")
}

// checkTimeout refuses a timeout outside the limits of a download.
func checkTimeout(t time.Duration) error {
	if t < 0 || t > fetch.DefaultTotal {
		return diag.WithHint(fmt.Errorf("--timeout: %s is not between 0s and %s", t, fetch.DefaultTotal), "write a time such as 30s or 2m")
	}
	return nil
}

// register adds the flags to a command; what describes how it uses a pack.
func (f *fromFlags) register(a *app, flags *pflag.FlagSet, what string) {
	flags.StringArrayVar(&f.from, "from", nil, what+" from elsewhere, by `REF`: a directory, archive, site or CI artifact, as packgen pull takes it, or a locked pack; may be repeated")
	flags.BoolVar(&f.offline, "offline", false, "with --from: fetch nothing, use what is in the cache")
	a.registerNetwork(flags)
}
