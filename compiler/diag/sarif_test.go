package diag

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/packgen/packgen/compiler/oktest"
)

func sarif(t *testing.T, list []Diagnostic, o FormatOptions) sarifLog {
	t.Helper()
	var b bytes.Buffer
	oktest.Check(t, SARIF(&b, "0.1.0", list, o))
	instance := oktest.Value(jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes())))(t)
	if err := sarifSchema(t).Validate(instance); err != nil {
		t.Errorf("does not fit the schema: %v\n%s", err, b.String())
	}
	var log sarifLog
	oktest.Check(t, json.Unmarshal(b.Bytes(), &log))
	return log
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	data := oktest.Value(os.ReadFile("testdata/sarif-2.1.0-reduced.schema.json"))(t)
	doc := oktest.Value(jsonschema.UnmarshalJSON(bytes.NewReader(data)))(t)
	c := jsonschema.NewCompiler() // the name is not a path: that of a folder with blanks would be escaped
	c.AssertFormat()
	oktest.Check(t, c.AddResource("urn:sarif", doc))
	return oktest.Value(c.Compile("urn:sarif"))(t)
}

func TestSARIFFitsItsSchema(t *testing.T) {
	rules := func(id string) (RuleText, bool) {
		return RuleText{Title: "T", Means: "M", Help: "H", Severity: Error}, id == "path-collision"
	}
	log := sarif(t, append(sample[:len(sample):len(sample)], hostile), FormatOptions{Rules: rules})
	results := log.Runs[0].Results
	if len(results) != 5 || results[0].Level != "error" || results[4].Level != "note" {
		t.Errorf("results are %+v", results)
	}
	for _, r := range results {
		if log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule index of %s is wrong", r.RuleID)
		}
	}
	sarif(t, nil, FormatOptions{})
	for _, r := range results {
		if len(r.Locations) != 1 {
			t.Errorf("%s has %d places; GitHub takes none without", r.RuleID, len(r.Locations))
		}
	}
}

func TestSARIFOverItsLimitKeepsTheShareOfEachRule(t *testing.T) {
	list := slices.Concat(many("injection-suspect", Warning, 4980), many("ref-broken", Warning, 1322), many("secret-suspect", Error, 1))
	log := sarif(t, list, FormatOptions{All: "packgen check --all"})
	count := map[string]int{}
	for _, r := range log.Runs[0].Results {
		count[r.RuleID]++
	}
	if want := map[string]int{"injection-suspect": 3677, "ref-broken": 1322, "secret-suspect": 1}; !maps.Equal(count, want) {
		t.Errorf("results are %v, want %v", count, want)
	}
	if log.Runs[0].Results[0].RuleID != "secret-suspect" {
		t.Errorf("the first result is of %s", log.Runs[0].Results[0].RuleID)
	}
	run := log.Runs[0].Invocations[0]
	if len(run.Notifications) != 1 || !run.Successful {
		t.Fatalf("the invocation is %+v", run)
	}
	n := run.Notifications[0]
	if n.Message.Text != "This log holds 3,677 of 4,980 findings of injection-suspect. packgen check --all prints all." ||
		log.Runs[0].Tool.Driver.Rules[n.Rule.Index].ID != "injection-suspect" {
		t.Errorf("the notification is %+v", n)
	}
	if whole := sarif(t, list[:5000], FormatOptions{}); len(whole.Runs[0].Results) != 5000 || whole.Runs[0].Invocations != nil {
		t.Errorf("%d results, invocations %v", len(whole.Runs[0].Results), whole.Runs[0].Invocations)
	}
}

func TestSARIFPathsAreReferencesWithoutScheme(t *testing.T) {
	for path, want := range map[string]string{"a b/c%.md": "a%20b/c%25.md", "a:b.md": "./a:b.md", "知.md": "%E7%9F%A5.md"} {
		log := sarif(t, []Diagnostic{{ID: "x", Path: path, Line: 1}}, FormatOptions{})
		if got := log.Runs[0].Results[0].Locations[0].Physical.Artifact.URI; got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestSARIFColumnsCountCharacters(t *testing.T) {
	o := FormatOptions{Lines: files(map[string]string{"a": "é日x"})}
	log := sarif(t, []Diagnostic{{ID: "x", Path: "a", Line: 1, Column: 6}}, o)
	if got := log.Runs[0].Results[0].Locations[0].Physical.Region.StartColumn; got != 3 {
		t.Errorf("column is %d, want 3", got)
	}
}

func TestFingerprintsSurviveShiftsAndBlanks(t *testing.T) {
	print := func(text string, line int, d Diagnostic) string {
		d.Path, d.Line = "a.md", line
		return fingerprints([]Diagnostic{d}, FormatOptions{Lines: files(map[string]string{"a.md": text})})[0]
	}
	d := Diagnostic{ID: "x", Message: "M."}
	base := print("one\ntwo words\n", 2, d)
	if got := print("new\nmore\n\n  two   words \n", 4, d); got != base {
		t.Error("a line further down has another fingerprint")
	}
	if got := print("one\ntwo words\n", 2, Diagnostic{ID: "x", Message: "Other message."}); got != base {
		t.Error("another message has another fingerprint")
	}
	if got := print("one\nthree words\n", 2, d); got == base {
		t.Error("another line has the same fingerprint")
	}
	if got := print("one\ntwo words\n", 2, Diagnostic{ID: "y"}); got == base {
		t.Error("another rule has the same fingerprint")
	}
}

func TestFingerprintsOfEqualLinesAreNumbered(t *testing.T) {
	o := FormatOptions{Lines: files(map[string]string{"a.md": "same\nsame\n"})}
	got := fingerprints([]Diagnostic{{ID: "x", Path: "a.md", Line: 1}, {ID: "x", Path: "a.md", Line: 2}}, o)
	if got[0] == got[1] || !strings.HasSuffix(got[0], ":1") || !strings.HasSuffix(got[1], ":2") {
		t.Errorf("got %v", got)
	}
}

func TestFingerprintsHoldNoHashOfASecretLine(t *testing.T) {
	print := func(text string) string {
		return fingerprints([]Diagnostic{{ID: "secret-suspect", Path: "a.md", Line: 1, Message: "M."}}, FormatOptions{Lines: files(map[string]string{"a.md": text})})[0]
	}
	if print("password: one") != print("password: two") {
		t.Error("the fingerprint depends on the line")
	}
}
