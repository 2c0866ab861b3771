package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// MayReport refuses places that are not for reports, and files that are not reports.
func MayReport(w *repo.Repo, name, target string) error {
	if rel, err := filepath.Rel(w.Paths.Dir, target); err == nil && filepath.IsLocal(rel) {
		rel = filepath.ToSlash(rel)
		top, _, _ := strings.Cut(rel, "/")
		if err := packpath.Check(rel); err != nil {
			return diag.WithHint(fmt.Errorf("--out %s: %w", name, err), "name the file with / between directories, without control characters")
		}
		if rel == repo.ConfigName || slices.Contains([]string{".git", repo.StateName}, top) {
			return diag.WithHint(fmt.Errorf("--out %s is not for reports", name), "name another file")
		}
	}
	data, err := atomicfile.Read(target, maxReport)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at --out %s: %w", name, err)
	case !isReport(data):
		return diag.WithHint(fmt.Errorf("--out %s exists and is not a report of packgen", name), "name another file, or delete it")
	}
	return nil
}

// maxReport is the largest report that is overwritten, in bytes.
const maxReport = 256 << 20

// textFinding is a line of a report in text.
var textFinding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:.*: )?(?:error|warning|info): .* \[[a-z][a-z0-9-]*\]$`)
})

// isReport reports whether a file holds a report of check, in any of its formats.
func isReport(data []byte) bool {
	head := data[:min(len(data), 4<<10)]
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return true
	case data[0] == '{':
		return bytes.Contains(head, []byte(`"command": "check"`)) || bytes.Contains(head, []byte(`"name": "packgen"`))
	case bytes.HasPrefix(data, []byte("### packgen\n")), bytes.HasPrefix(data, []byte("::")):
		return true
	case data[0] == '[':
		return string(bytes.TrimSpace(data)) == "[]" || bytes.Contains(head, []byte(`"check_name": `))
	case data[0] == '<':
		return bytes.Contains(head, []byte(`<testsuites name="packgen" `))
	}
	return textFinding().Match(line)
}

// Formats are the formats of a report, as --format names them. JSON is the command's
// own envelope, which Render does not write.
var Formats = [...]string{"text", "json", "sarif", "github", "gitlab", "junit", "markdown"}

// FormatOf returns the format that the name of a report's file says, or "".
func FormatOf(name string) string {
	return map[string]string{".json": "json", ".sarif": "sarif", ".md": "markdown", ".xml": "junit"}[strings.ToLower(filepath.Ext(name))]
}

// renderers write the formats that are not text.
var renderers = map[string]func(io.Writer, []diag.Diagnostic, diag.FormatOptions) error{
	"github": diag.GitHub, "gitlab": diag.CodeQuality, "junit": diag.JUnit, "markdown": diag.Markdown,
	"sarif": func(w io.Writer, list []diag.Diagnostic, o diag.FormatOptions) error {
		return diag.SARIF(w, compiler.Version, list, o)
	},
}

// Render writes findings in a format for another program, or as text.
func Render(w io.Writer, format string, list []diag.Diagnostic, o diag.FormatOptions) error {
	render := renderers[format]
	if render == nil {
		render = func(w io.Writer, list []diag.Diagnostic, o diag.FormatOptions) error {
			return diag.Render(w, list, diag.RenderOptions{Path: o.Path})
		}
	}
	if err := render(w, list, o); err != nil {
		return fmt.Errorf("render the report: %w", err)
	}
	return nil
}

// Outcome is what a check of a repository came to.
type Outcome struct {
	Findings []diag.Diagnostic // sorted, each once
	Dirs     map[string]string // of packs by name
	Packs    []CheckedPack
	Fixes    []FixedFile
}

// CheckedPack is what the envelope says about one pack.
type CheckedPack struct {
	Pack            string             `json:"pack"`
	Dir             string             `json:"dir"`
	Status          schema.Status      `json:"status"` // of the compile in memory
	PackStatus      schema.Status      `json:"pack_status,omitempty"`
	SuggestedStatus schema.Status      `json:"suggested_status,omitempty"`
	Errors          int                `json:"errors"`
	Warnings        int                `json:"warnings"`
	Suppressed      int                `json:"suppressed"`
	Dimensions      *schema.Dimensions `json:"dimensions,omitempty"`
}

// FixedFile is a file that was fixed, or was not for a reason.
type FixedFile struct {
	Path string   `json:"path"` // relative to the repository root
	What []string `json:"what"`
	Kept string   `json:"kept,omitempty"`
}

// OutcomeOf gathers what was found.
func OutcomeOf(c *Repository) Outcome {
	r := Outcome{Dirs: c.All.Dirs(), Findings: slices.Clone(c.Faults)}
	for _, m := range c.Chosen.Members {
		list := m.Findings()
		p := CheckedPack{Pack: m.Name(), Dir: m.Dir, Status: schema.Failed}
		if m.Pack != nil {
			p.PackStatus = m.Pack.Meta.Status
		}
		if result := c.Checked[m]; result != nil {
			list = result.Diagnostics
			p.Status, p.SuggestedStatus = result.Compiled.Run.Status, result.SuggestedStatus
			p.Suppressed, p.Dimensions = len(result.Suppressed), dimensionsOf(result.Health)
		}
		list = slices.Clone(list)
		for i := range list {
			list[i].Pack = m.Name()
		}
		r.Findings = append(r.Findings, list...)
		about := slices.DeleteFunc(slices.Clone(c.Faults), func(d diag.Diagnostic) bool { return d.Pack != m.Name() })
		p.Errors = diag.Count(list, diag.Error) + diag.Count(about, diag.Error)
		p.Warnings = diag.Count(list, diag.Warning) + diag.Count(about, diag.Warning)
		r.Packs = append(r.Packs, p)
		for _, f := range c.Fixed[m] {
			r.Fixes = append(r.Fixes, FixedFile{path.Join(m.Dir, f.Path), f.What, f.Kept})
		}
	}
	diag.Sort(r.Findings)
	r.Findings = slices.Compact(r.Findings)
	return r
}

// ValidatedFile is what the envelope says about one file.
type ValidatedFile struct {
	Path   string      `json:"path"`
	Schema schema.Kind `json:"schema"` // "" when it is not known
	Status string      `json:"status"` // valid, invalid, skipped
}

// maxRecord is the size limit of a record, in bytes.
const maxRecord = 64 << 20

// ValidateFiles checks records, named from the repository root. An empty kind is inferred
// from each file. The findings are sorted.
func ValidateFiles(w *repo.Repo, names []string, kind schema.Kind) ([]ValidatedFile, []diag.Diagnostic, error) {
	files, findings := make([]ValidatedFile, 0, len(names)), []diag.Diagnostic{}
	for _, name := range names {
		data, err := atomicfile.Read(w.Paths.Abs(name), maxRecord)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, diag.Absent("file", name, "name a run record: they are in runs/ of a pack")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read record %s: %w", name, err)
		}
		file, fault := validateFile(w.Paths.Rel(w.Paths.Abs(name)), data, kind)
		files = append(files, file)
		if fault != nil {
			findings = append(findings, *fault)
		}
	}
	diag.Sort(findings)
	return files, findings, nil
}

// validateFile checks one record; the finding is nil when it fits.
func validateFile(shown string, data []byte, kind schema.Kind) (ValidatedFile, *diag.Diagnostic) {
	file := ValidatedFile{Path: shown, Schema: kind, Status: "invalid"}
	var err error
	if kind == "" {
		if file.Schema, err = schema.Infer(shown, data); err != nil {
			return file, &diag.Diagnostic{
				ID: "schema-invalid", Severity: diag.Error, Path: shown,
				Message: "neither the file name nor its keys say which record this is", Hint: "name the schema with --schema",
			}
		}
	}
	err = schema.Validate(file.Schema, data)
	var foreign *schema.ForeignError
	switch {
	case err == nil:
		file.Status = "valid"
		return file, misnamedRun(file.Schema, shown, data)
	case errors.As(err, &foreign) && kind != "":
		return file, &diag.Diagnostic{
			ID: "schema-invalid", Severity: diag.Error, Path: shown,
			Message: fmt.Sprintf("the record has none of the fields of %s", kind), Hint: "leave --schema out to tell it from its name and keys",
		}
	case errors.As(err, &foreign):
		file.Status = "skipped"
		return file, &diag.Diagnostic{
			ID: "schema-invalid", Severity: diag.Warning, Path: shown,
			Message: fmt.Sprintf("the record is not one of %s; another tool wrote it", foreign.Kind), Hint: "leave it: packgen skips it",
		}
	}
	fault := eval.SchemaFault(shown, err)
	return file, &fault
}

// misnamedRun reports a compile run under the name of another one. Under a name
// that no run has it is only a copy.
func misnamedRun(kind schema.Kind, shown string, data []byte) *diag.Diagnostic {
	if kind != schema.KindCompileRun || !strings.HasPrefix(filepath.Base(shown), "compile-") {
		return nil
	}
	run, err := schema.DecodeRun(data)
	if err != nil {
		return nil
	}
	return misnamed(run, shown)
}

// Decision is a comment or a rule of the configuration with what it changes.
type Decision struct {
	At       string       // where it is, with its line
	Rule     string       // id
	To       policy.Level // what becomes of the findings
	Reason   string
	Findings []diag.Diagnostic // as they were found, with the path from the repository root
}

// Decisions checks the packs and returns the rules of the configuration in their
// order, then the comments by place.
func Decisions(ctx context.Context, w *repo.Repo, names []string) ([]Decision, error) {
	now, err := repo.RunTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	c, err := checkOnce(ctx, w, RepositoryOptions{Now: now, Names: names})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	config, _ := w.ConfigFile()
	config = w.Paths.Rel(w.Paths.Abs(config))
	list := make([]Decision, len(w.Config.Rules))
	for i, r := range w.Config.Rules {
		list[i] = Decision{At: fmt.Sprintf("%s:%d", config, r.Line), Rule: r.Rule, To: r.Level, Reason: r.Reason}
	}
	place := PlaceIn(c.All.Dirs())
	take := func(changed []policy.Change) {
		for _, change := range changed {
			d := change.Diagnostic
			d.Path = place(d)
			list[change.By].Findings = append(list[change.By].Findings, d)
		}
	}
	take(c.changed)
	comments := slices.Clone(c.suppressed)
	for _, m := range c.Chosen.Members {
		result := c.Checked[m]
		if result == nil {
			continue // the policy has no part in what keeps a pack from being read
		}
		take(result.Changed)
		for _, s := range result.Suppressed {
			s.Pack = m.Name()
			comments = append(comments, s)
		}
	}
	for i := range list {
		slices.SortStableFunc(list[i].Findings, diag.ComparePlaces)
	}
	return append(list, commentDecisions(comments, place)...), nil
}

// commentDecisions gathers what each comment suppresses.
func commentDecisions(comments []lint.Suppressed, place func(diag.Diagnostic) string) []Decision {
	var list []Decision
	index := map[string]int{}
	for _, s := range comments {
		s.Path = place(s.Diagnostic)
		at := fmt.Sprintf("%s:%d", s.Path, s.By)
		i, ok := index[at+" "+s.ID]
		if !ok {
			i = len(list)
			index[at+" "+s.ID] = i
			list = append(list, Decision{At: at, Rule: s.ID, To: policy.Off, Reason: s.Reason})
		}
		list[i].Findings = append(list[i].Findings, s.Diagnostic)
	}
	return list
}

// PlaceIn gives the path of a finding from the repository root, of packs in these
// directories.
func PlaceIn(dirs map[string]string) func(diag.Diagnostic) string {
	return func(d diag.Diagnostic) string {
		if dir := dirs[d.Pack]; dir != "" && d.Pack != "" {
			return path.Join(dir, d.Path)
		}
		return d.Path
	}
}
