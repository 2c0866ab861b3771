package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// Issues returns everything that is wrong with an index: what makes it invalid,
// what no matcher can use, and what matches badly.
func Issues(ix *loadout.Index) []loadout.Issue {
	return slices.Concat(loadout.Validate(ix), shapeIssues(ix), loadout.Lint(ix, loadout.LintOptions{}))
}

// shapeIssues says which entries have words that no matcher can use as they are
// written. Missing keywords are an issue of their own.
func shapeIssues(ix *loadout.Index) []loadout.Issue {
	var issues []loadout.Issue
	for i := range ix.Entries {
		e := &ix.Entries[i]
		problem := ""
		switch e.Fault {
		case loadout.FaultKeywords, loadout.FaultPatterns, loadout.FaultPatternsMissing, loadout.FaultNone:
			problem = indexjson.WordsProblem(e)
		}
		if problem != "" {
			id := e.ID
			if id == "" {
				id = e.JSON().Get("id").Text()
			}
			issues = append(issues, loadout.Issue{
				Severity: loadout.SeverityWarning, Code: "ENTRY_MALFORMED", Position: i,
				Message: fmt.Sprintf("entry %q is malformed: %s", id, problem), Hint: "write a list of strings, empty when there are none",
			})
		}
	}
	return issues
}

// ruleID is the rule id of an issue's code: GENERIC_KEYWORD is generic-keyword.
func ruleID(code string) string { return strings.ToLower(strings.ReplaceAll(code, "_", "-")) }

// checkIndex checks an index that was made from packs, with paths as a site has them.
// Each finding is at the file that the entry would load. Findings are sorted.
// Overlaps and generic keywords are left out: the builder of the index reports them
// where they are declared. Derived keywords are nobody's fault.
func checkIndex(ix *loadout.Index) []diag.Diagnostic {
	var list []diag.Diagnostic
	for _, issue := range Issues(ix) {
		if issue.Code == loadout.LintOverlap || issue.Code == loadout.LintGeneric {
			continue
		}
		d := OfIssue(issue.Severity, issue.Code, issue.Message, issue.Hint)
		d.Path = "index.json"
		if at := issue.Position; at >= 0 && at < len(ix.Entries) {
			d.Pack, d.Path = place(ix.Entries[at].Path)
		}
		list = append(list, d)
	}
	diag.Sort(list)
	return list
}

// place takes the pack out of the path of an entry: "packs/<name>/<path>".
func place(entry string) (packName, path string) {
	rest, ok := strings.CutPrefix(entry, "packs/")
	name, path, found := strings.Cut(rest, "/")
	if !ok || !found {
		return "", entry
	}
	return name, path
}

// unreached reports, one finding for each pack that has routing goldens, how many
// of its entries no task of any golden selects.
func unreached(ix *loadout.Index, results []eval.TaskResult, withGoldens []string) []diag.Diagnostic {
	if len(withGoldens) == 0 {
		return nil
	}
	packs := make(map[string]string, len(ix.Entries)) // by the id of an entry
	for i := range ix.Entries {
		packs[ix.Entries[i].ID], _ = place(ix.Entries[i].Path)
	}
	by := map[string][]string{}
	for _, id := range eval.Unreached(ix, results) {
		if name := packs[id]; slices.Contains(withGoldens, name) {
			by[name] = append(by[name], id)
		}
	}
	var list []diag.Diagnostic
	for name, ids := range by {
		list = append(list, diag.Diagnostic{
			ID: idUnreached, Severity: diag.Info, Pack: name, Path: eval.RoutingPath,
			Message: "no task of the routing goldens selects " + fewOf(ids, ", ", " and "), Hint: "add tasks that need them",
		})
	}
	diag.Sort(list)
	return list
}

// IndexFindings turns the issues of an index into diagnostics with their
// places in its text, in the order of the text. Those of an index that is split are at
// the parts, without a line.
func IndexFindings(name string, text []byte, issues []loadout.Issue) []diag.Diagnostic {
	if len(issues) == 0 {
		return nil
	}
	if root, err := indexjson.ReadRoot(text); root != nil && err == nil {
		return partFindings(name, root, issues)
	}
	places := repo.EntryPlaces(text)
	list := make([]diag.Diagnostic, len(issues))
	for i, issue := range issues {
		d := OfIssue(issue.Severity, issue.Code, issue.Message, issue.Hint)
		d.Path = name
		if at := issue.Position; at >= 0 && at < len(places) {
			d.Line, d.Column = places[at].Line, places[at].Column
		}
		list[i] = d
	}
	SortByPlace(list)
	return list
}

// partFindings is IndexFindings for an index that is split.
func partFindings(name string, root *indexjson.Root, issues []loadout.Issue) []diag.Diagnostic {
	var list []diag.Diagnostic
	for _, issue := range issues {
		d, at := OfIssue(issue.Severity, issue.Code, issue.Message, issue.Hint), issue.Position
		d.Path = name
		for i := 0; at >= 0 && i < len(root.Parts); i++ {
			if at < root.Parts[i].Entries {
				d.Path = path.Join(path.Dir(name), root.Parts[i].Path)
				break
			}
			at -= root.Parts[i].Entries
		}
		list = append(list, d)
	}
	SortByPlace(list)
	return list
}

// SortByPlace sorts the findings about one file, errors first.
func SortByPlace(list []diag.Diagnostic) {
	diag.Sort(list)
	slices.SortStableFunc(list, func(x, y diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
}

// OfIssue makes a diagnostic of what a reader of the loadout format finds wrong: in an
// index, a store or a rule file. Its place is for the caller to add.
func OfIssue(severity loadout.Severity, code, message, hint string) diag.Diagnostic {
	d := diag.Diagnostic{ID: ruleID(code), Severity: diag.Warning, Message: phrase(sentence(message)), Hint: phrase(sentence(hint))}
	if rule, ok := rulebook.Find(d.ID); ok && d.Hint == "" {
		d.Hint = phrase(rule.Fix)
	}
	if severity == loadout.SeverityError {
		d.Severity = diag.Error
	}
	return d
}

// sentence returns a message of the loadout kernel with a verb: the format fixes the words
// of its own records, and a finding is read by people.
func sentence(text string) string {
	for _, s := range [...][2]string{
		{"Duplicate entry ID: ", "two entries have the id "},
		{"Duplicate rule ID: ", "two rules have the id "},
		{"Referenced topic file not found: ", "there is no topic file "},
		{"Topic file not referenced in MEMORY.md: ", "no line of MEMORY.md leads to the topic file "},
		{"Topic file referenced ", "the topic file is referenced "},
		{"Rule file not found: ", "there is no rule file "},
		{"Rule file exists but not in index.json: ", "no entry of index.json names the rule file "},
		{"Failed to parse index.json: ", "index.json cannot be parsed: "},
		{"index.json not found at ", "there is no "},
		{"Every entry needs a ", "give each entry a "},
	} {
		if rest, ok := strings.CutPrefix(text, s[0]); ok {
			return s[1] + rest
		}
	}
	return text
}

// phrase returns a message or a hint of the loadout kernel in the form of a finding: it
// begins in lower case, unless with a name such as MEMORY.md, and has no full stop.
func phrase(text string) string {
	text = strings.TrimSuffix(text, ".")
	if len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' && !('A' <= text[1] && text[1] <= 'Z') {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

const idLayerRecord = "optional-layer-record"

// layerShape is what is known about the records of one file of an optional layer
// (agent-knowledge section 19).
type layerShape struct {
	needs  []string            // fields that every record has
	values map[string][]string // fields with a closed list of values
	refs   map[string]string   // fields that hold ids of records of another file
}

// layerShapes are the files whose records are looked into. The others are data of
// whatever form, of which compile checks that they are JSON.
func layerShapes() map[string]layerShape {
	evidence := []string{"verified", "weak", "needs-verification", "forbidden"}
	return map[string]layerShape{
		"ontology/concepts.json":  {needs: []string{"id"}},
		"ontology/relations.json": {},
		"ontology/claims.json":    {needs: []string{"id"}, values: map[string][]string{"evidenceStatus": evidence}},
		"ontology/evidence.json":  {values: map[string][]string{"state": evidence, "evidenceStatus": evidence}},
		"ontology/coverage.json": {values: map[string][]string{
			"state": {"ready", "missing-evidence", "missing-material", "needs-review", "blocked", "covered"},
		}},
		"answers/questions.json": {
			needs: []string{"id", "question"},
			refs:  map[string]string{"answerBlockIds": "answers/answer-blocks.json", "targetEntityIds": "ontology/concepts.json"},
		},
		"answers/answer-blocks.json": {
			needs:  []string{"id", "answer", "claimIds", "citationTargetIds", "evidenceStatus", "reviewStatus", "lastReviewed"},
			values: map[string][]string{"evidenceStatus": evidence},
			refs:   map[string]string{"claimIds": "ontology/claims.json", "citationTargetIds": "answers/citation-targets.json"},
		},
		"answers/citation-targets.json": {needs: []string{"id"}, values: map[string][]string{
			"targetKind": {"page", "section", "paragraph", "table", "figure", "video-transcript", "data-point"},
		}},
		"answers/monitoring-runs.json": {
			values: map[string][]string{"answerPresence": {"absent", "mentioned", "cited", "primary", "incorrect"}},
			refs:   map[string]string{"questionId": "answers/questions.json", "citationTargetIds": "answers/citation-targets.json"},
		},
	}
}

// layerFile is a file of an optional layer with its records.
type layerFile struct {
	path    string
	records []map[string]any
	numbers []int // place of each record in its list, 1-based
	ids     map[string]bool
	found   []diag.Diagnostic
}

// maxLayerFindings is how many findings one file of a layer gets.
const maxLayerFindings = 20

func (f *layerFile) say(severity diag.Severity, hint, format string, args ...any) {
	if len(f.found) < maxLayerFindings {
		f.found = append(f.found, diag.Diagnostic{ID: idLayerRecord, Severity: severity, Path: f.path, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
}

// layers checks the records of the optional layers: that those which refer to each
// other by id can be distinguished and exist, and that states are known ones. What they say
// is data and not interpreted. Files of another form are another tool's; they are
// reported and skipped.
func layers(p *pack.Pack) ([]diag.Diagnostic, error) {
	shapes := layerShapes()
	files := map[string]*layerFile{}
	var order []*layerFile
	for _, entry := range slices.Concat(p.List("answers"), p.List("ontology")) {
		shape, known := shapes[entry.Path]
		if !known || entry.Size > maxLayer {
			continue
		}
		data, err := p.ReadFile(entry.Path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", entry.Path, err)
		}
		if f := readLayer(entry.Path, data); f != nil {
			f.check(&shape)
			files[f.path] = f
			order = append(order, f)
		}
	}
	var list []diag.Diagnostic
	for _, f := range order {
		f.checkRefs(shapes[f.path].refs, files)
		list = append(list, f.found...)
	}
	return list, nil
}

// maxLayer is the largest file of a layer that is looked into, in bytes.
const maxLayer = 16 << 20

// readLayer reads the records of a file: an array, or an object with exactly one
// array of objects in it. Nil when it is not JSON, which compile reports.
func readLayer(name string, data []byte) *layerFile {
	text, ok := frontmatter.Decode(data)
	var value any
	if !ok || json.Unmarshal(text, &value) != nil {
		return nil
	}
	f := &layerFile{path: name, ids: map[string]bool{}}
	list, ok := value.([]any)
	if object, isObject := value.(map[string]any); isObject {
		arrays := 0
		for _, v := range object {
			if inner, isList := v.([]any); isList && len(inner) > 0 {
				if _, isRecord := inner[0].(map[string]any); isRecord {
					list, arrays = inner, arrays+1
				}
			}
		}
		ok = arrays == 1 || len(object) == 0
	}
	if !ok {
		f.say(diag.Info, "leave it: packgen skips it", "the file holds no list of records; another tool wrote it")
		return f
	}
	for i, v := range list {
		record, isRecord := v.(map[string]any)
		if !isRecord {
			f.say(diag.Warning, "write an object", "record %d is not an object", i+1)
			continue
		}
		f.records = append(f.records, record)
		f.numbers = append(f.numbers, i+1)
	}
	return f
}

// check looks at each record by itself.
func (f *layerFile) check(shape *layerShape) {
	for i, r := range f.records {
		name := fmt.Sprintf("record %d", f.numbers[i])
		if id, _ := r["id"].(string); id != "" {
			name = fmt.Sprintf("record %q", id)
			if f.ids[id] {
				f.say(diag.Warning, "give each record an id of its own", "two records have the id %q", id)
			}
			f.ids[id] = true
		}
		var lacks []string
		for _, field := range shape.needs {
			if v, ok := r[field]; !ok || v == nil || v == "" {
				lacks = append(lacks, field)
			}
		}
		if len(lacks) > 0 {
			f.say(diag.Warning, "add what is missing, or say that it is unknown", "%s has no %s", name, strings.Join(lacks, ", "))
		}
		for _, field := range slices.Sorted(maps.Keys(shape.values)) {
			text, isText := r[field].(string)
			if v, ok := r[field]; ok && (!isText || !slices.Contains(shape.values[field], text)) {
				f.say(diag.Warning, "write write one of "+strings.Join(shape.values[field], ", "), "%s has the %s %s", name, field, shortJSON(v))
			}
		}
	}
}

// checkRefs looks for the records that others name. A missing file is not an
// error: a pack may have parts of a layer.
func (f *layerFile) checkRefs(refs map[string]string, files map[string]*layerFile) {
	for _, field := range slices.Sorted(maps.Keys(refs)) {
		to := files[refs[field]]
		if to == nil || to.records == nil {
			continue
		}
		for _, r := range f.records {
			for _, id := range idsOf(r[field]) {
				if !to.ids[id] {
					f.say(diag.Warning, "correct the id, or add the record", "%s names %q, which %s does not have", field, id, path.Base(to.path))
				}
			}
		}
	}
}

// idsOf reads an id, or a list of ids.
func idsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if id, ok := item.(string); ok {
				list = append(list, id)
			}
		}
		return list
	}
	return nil
}

func shortJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil || len(text) > 60 {
		return "that is too long"
	}
	return string(text)
}
