package json_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

func TestParsePrintsAsJavaScript(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"white space goes":               {" {\n \"a\" : [ 1 , true ]\r\n,\t\"b\":null } ", `{"a":[1,true],"b":null}`},
		"empty containers":               {`[ ] `, `[]`},
		"order of keys is kept":          {`{"b":1,"a":2}`, `{"b":1,"a":2}`},
		"duplicate: first place, last":   {`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		"duplicate by another spelling":  {`{"a":1,"\u0061":2}`, `{"a":2}`},
		"integer keys first, ascending":  {`{"b":1,"10":2,"2":3,"a":4}`, `{"2":3,"10":2,"b":1,"a":4}`},
		"largest integer key":            {`{"a":1,"4294967294":2}`, `{"4294967294":2,"a":1}`},
		"beyond the largest":             {`{"a":1,"4294967295":2}`, `{"a":1,"4294967295":2}`},
		"not canonical integers":         {`{"a":1,"01":2,"-1":3,"1.5":4,"":5}`, `{"a":1,"01":2,"-1":3,"1.5":4,"":5}`},
		"integer and duplicate":          {`{"x":1,"3":2,"3":[{"1":1,"0":0}]}`, `{"3":[{"0":0,"1":1}],"x":1}`},
		"__proto__ is a key as others":   {`{"__proto__":1,"a":2}`, `{"__proto__":1,"a":2}`},
		"numbers":                        {`[1.0,1e2,-0,0.10,1E+21,1e-7,12345678901234567890,123456789012345678]`, `[1,100,0,0.1,1e+21,1e-7,12345678901234567000,123456789012345680]`},
		"too small a number":             {`1e-400`, `0`},
		"escapes":                        {`"\u0041\/\"\\\b\f\n\r\t\u001f\u2028"`, "\"A/\\\"\\\\\\b\\f\\n\\r\\t\\u001f\u2028\""},
		"pair of surrogates":             {`"\ud83d\ude00"`, "\"\U0001f600\""},
		"lone surrogates":                {`"\uD83D \ude00"`, `"\ud83d \ude00"`},
		"lone surrogate before a pair":   {`"\ud83d\ud83d\ude00"`, "\"\\ud83d\U0001f600\""},
		"bytes that are not UTF-8":       {"\"a\xffb\xc3\"", "\"a\ufffdb\ufffd\""},
		"a cut sequence is one":          {"\"\xe2\x82\xf0\x9f\x98x\"", "\"\ufffd\ufffdx\""},
		"surrogate in UTF-8 is three":    {"\"\xed\xa0\x80\"", "\"\ufffd\ufffd\ufffd\""},
		"overlong is one a byte":         {"\"\xc0\xaf\xe0\x80\x80\"", "\"\ufffd\ufffd\ufffd\ufffd\ufffd\""},
		"invalid key":                    {"{\"\xff\":1}", "{\"\ufffd\":1}"},
		"nested to the limit":            {strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat("[", 64) + strings.Repeat("]", 64)},
		"many keys with one duplicate":   {manyKeys(40) + `,"k3":"last"}`, strings.Replace(manyKeys(40), `"k3":3`, `"k3":"last"`, 1) + "}"},
		"literal U+007F and slash stand": {"\"\x7f/<>&\"", "\"\x7f/<>&\""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := indexjson.Parse([]byte(test.text))
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, error %v\nwant %s", got, err, test.want)
			}
		})
	}
}

// manyKeys makes an object of n keys without its closing brace.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		if i == 0 {
			b.WriteByte('{')
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"k%d":%d`, i, i)
	}
	return b.String()
}

func TestParseNamesThePlace(t *testing.T) {
	tests := map[string]struct {
		text         string
		line, column int
		problem      string
	}{
		"empty":              {"", 1, 1, "ends"},
		"byte-order mark":    {"\ufeff{}", 1, 1, "value"},
		"single quotes":      {"{\n  'a': 1}", 2, 3, "a key"},
		"trailing comma":     {"[1,\n]", 2, 1, "a value"},
		"trailing comma key": {`{"a":1,}`, 1, 8, "a key"},
		"no colon":           {`{"a" 1}`, 1, 6, "a colon"},
		"no comma":           {"{\"a\":1\n \"b\":2}", 2, 2, "a comma"},
		"second value":       {"{} x", 1, 4, "after the end"},
		"leading zero":       {"01", 1, 2, "after the end"},
		"bare minus":         {"-", 1, 2, "a digit"},
		"bare point":         {"1.", 1, 3, "a digit"},
		"bare exponent":      {"1e+", 1, 4, "a digit"},
		"huge number":        {"[1e400]", 1, 2, "too large"},
		"NaN":                {"NaN", 1, 1, "a value"},
		"cut word":           {"tru", 1, 1, "a value"},
		"open string":        {`"abc`, 1, 5, "end of the string"},
		"control character":  {"\"a\nb\"", 1, 3, "control"},
		"bad escape":         {`"\x"`, 1, 3, "an escape"},
		"short unicode":      {`"\u12"`, 1, 3, "hexadecimal"},
		"too deep":           {strings.Repeat("[", 65), 1, 65, "deeper"},
		"too deep, objects":  {strings.Repeat(`{"a":`, 65), 1, 5*64 + 1, "deeper"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := indexjson.Parse([]byte(test.text))
			var e *indexjson.SyntaxError
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if e.Line != test.line || e.Column != test.column || !strings.Contains(e.Problem, test.problem) {
				t.Errorf("got %v, want %d:%d with %q", err, test.line, test.column, test.problem)
			}
		})
	}
}

func TestParseInfinite(t *testing.T) {
	if v, err := indexjson.ParseInfinite([]byte(`[1e400,-1e999]`)); err != nil || v != "[null,null]" {
		t.Errorf("got %s, error %v", v, err)
	}
}

func TestReadRefusesTooMuch(t *testing.T) {
	if _, err := indexjson.Read(make([]byte, indexjson.MaxSize+1)); err == nil {
		t.Error("64 MiB and a byte are read")
	}
	entries := `{"entries":[` + strings.Repeat("{},", indexjson.MaxEntries) + `{}]}`
	if _, err := indexjson.Read([]byte(entries)); err == nil {
		t.Error("1,000,001 entries are read")
	}
}

// What is not an index is read, keeps its text, and says so.
func TestReadKeepsWhatIsNotAnIndex(t *testing.T) {
	for _, text := range []string{"null", "[]", "5", `"x"`, "{}", `{"entries":null}`, `{"entries":{}}`} {
		ix, err := indexjson.Read([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if ix.Check() == nil {
			t.Errorf("%s: Check finds nothing", text)
		}
		if got := string(loadout.AppendIndex(nil, ix)); got != text {
			t.Errorf("%s: written as %s", text, got)
		}
	}
}

func TestWriteIsTheDocumentedForm(t *testing.T) {
	ix := &loadout.Index{
		Version: loadout.Version, Generated: "2026-03-01T09:15:00.000Z",
		Entries: []loadout.Entry{{
			ID: "release-train", Path: "packs/release-train.md", Keywords: []string{"release", "publish"},
			Priority: loadout.PriorityDomain, Summary: "How <a> release & tag", Triggers: loadout.DefaultTriggers(), TokensEst: 412, Lines: 58,
		}},
		LazyLoad: true,
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	want := `{
  "version": "1.0.0",
  "generated": "2026-03-01T09:15:00.000Z",
  "entries": [
    {
      "id": "release-train",
      "path": "packs/release-train.md",
      "keywords": [
        "release",
        "publish"
      ],
      "patterns": [],
      "priority": "domain",
      "summary": "How <a> release & tag",
      "triggers": {
        "task": true,
        "plan": true,
        "edit": false
      },
      "tokens_est": 412,
      "lines": 58
    }
  ],
  "budget": {
    "always_loaded_est": 0,
    "on_demand_total_est": 412,
    "avg_task_load_est": 412,
    "avg_task_load_observed": null
  },
  "lazyLoad": true
}
`
	if got := string(indexjson.Write(ix)); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A large index goes out in pieces that together are the indented text.
func TestWriteToIsTheIndentedIndex(t *testing.T) {
	large := make([]loadout.Entry, 2000)
	for i := range large {
		large[i] = loadout.Entry{ID: fmt.Sprint("entry-", i), Keywords: []string{"a,b", `{"`}, Summary: strings.Repeat("]", 50)}
	}
	indexes := map[string]*loadout.Index{
		"made":        {Version: loadout.Version, Entries: large, LazyLoad: true},
		"empty":       {Version: loadout.Version},
		"read":        goldentest.Index(`{"own":{"entries":[1]},"entries":[{"id":"a","x":[]},{"id":"b"}],"\u0000":[]}`),
		"not entries": goldentest.Index(`{"entries":{"a":1}}`),
		"no object":   goldentest.Index(`[1]`),
	}
	for name, ix := range indexes {
		var w pieceWriter
		if err := indexjson.WriteTo(&w, ix); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		want := string(indexjson.Indent(nil, loadout.Value(loadout.AppendIndex(nil, ix)))) + "\n"
		if w.String() != want {
			t.Errorf("%s: got\n%.500s", name, w.String())
		}
		if len(want) > 1<<18 && w.pieces < 2 {
			t.Errorf("%s: all in one piece", name)
		}
	}
}

// pieceWriter counts the pieces it is given.
type pieceWriter struct {
	bytes.Buffer
	pieces int
}

func (w *pieceWriter) Write(p []byte) (int, error) {
	w.pieces++
	return w.Buffer.Write(p)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space") }

func TestWriteToReturnsWhatTheWriterReturns(t *testing.T) {
	if err := indexjson.WriteTo(fullDisk{}, &loadout.Index{}); err == nil {
		t.Error("no error")
	}
}

func TestIndentLeavesStringsAlone(t *testing.T) {
	got := string(indexjson.Indent(nil, `{"a,b":"{[:,]}\"","c":[[],{}]}`))
	if want := "{\n  \"a,b\": \"{[:,]}\\\"\",\n  \"c\": [\n    [],\n    {}\n  ]\n}"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// Parsing accepts what encoding/json accepts (limits and huge numbers apart),
// and what it prints is a fixed point with the same meaning.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e3,"x\u00e9\ud83d",null,true],"2":{},"a":false}`, `[[[]]]`, "\"\xe2\x82\"", `{"1":1,"0":{"b":1,"b":2}}`, `1e400`, ` [ ] x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := indexjson.Parse(data)
		if err != nil {
			var e *indexjson.SyntaxError
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Offset > len(data) {
				t.Fatalf("error %#v", err)
			}
			if json.Valid(data) && e.Problem != "nested deeper than 64" && e.Problem != "the number is too large" {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("accepted %q", data)
		}
		if !utf8.ValidString(string(v)) {
			t.Fatalf("not UTF-8: %q", v)
		}
		again, err := indexjson.Parse([]byte(v))
		if err != nil || again != v {
			t.Fatalf("%q becomes %q, error %v", v, again, err)
		}
		pretty := indexjson.Indent(nil, v)
		if again, err := indexjson.Parse(pretty); err != nil || again != v {
			t.Fatalf("%q indented becomes %q, error %v", v, again, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, pretty); err != nil || compact.String() != string(v) {
			t.Fatalf("%q is not compact: %q, error %v", v, compact.String(), err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	entry := `{"id":"entry-1","path":"packs/p/compiled/splits/entry-1.md","keywords":["one","two","three","four","five","six","seven","eight"],"patterns":["a_b"],"priority":"domain","summary":"What it says","triggers":{"task":true,"plan":true,"edit":false},"tokens_est":412,"lines":58}`
	v := loadout.Value(`{"version":"1.0.0","entries":[` + strings.Repeat(entry+",", 9999) + entry + `]}`)
	data := indexjson.Indent(nil, v)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := indexjson.Read(data); err != nil {
			b.Fatal(err)
		}
	}
}

// An error names the character at its place, not a byte of it.
func TestErrorNamesTheCharacter(t *testing.T) {
	for text, want := range map[string]string{
		"\uFEFF{}": "line 1, column 1: a byte order mark where a value should be",
		"[é]":      "line 1, column 2: 'é' where a value should be",
	} {
		if _, err := indexjson.Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
