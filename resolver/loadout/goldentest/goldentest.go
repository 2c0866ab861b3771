package goldentest

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// dirVariable names the environment variable whose directory replaces
// testdata/golden. A sub-folder it lacks falls back to the one in testdata.
const dirVariable = "PACKGEN_GOLDEN_DIR"

// Case is one golden vector.
type Case struct {
	Name   string
	Class  string // compat, quirk, crash or undefined
	Input  loadout.Value
	Result loadout.Value // missing when the original threw
}

// Fn returns the name of the function the case calls.
func (c *Case) Fn() string { return c.Text("fn") }

// Text returns a string of the input, empty if it is not one.
func (c *Case) Text(key string) string {
	s, _ := c.Input.Get(key).Str()
	return s
}

// Compat reports whether the case needs the compatibility switch.
func (c *Case) Compat() bool { return c.Class != "compat" }

// Binding reports whether the result must be equal: so it is for the classes
// compat and quirk. In the others any error or result will do.
func (c *Case) Binding() bool { return c.Class == "compat" || c.Class == "quirk" }

// Index reads an index of any size from a value.
func Index(v loadout.Value) *loadout.Index {
	ix, _ := loadout.DecodeAtMost(v, math.MaxInt)
	return ix
}

// Load reads the cases of one file of testdata/golden, or of the directory
// named by PACKGEN_GOLDEN_DIR, and logs how many there are.
func Load(tb testing.TB, folder, file string) []Case {
	tb.Helper()
	path := filepath.Join(directory(tb, folder), file)
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	v, err := indexjson.Parse(data)
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	var cases []Case
	v.Get("cases").Items(func(item loadout.Value) bool {
		c := Case{Input: item.Get("input"), Result: item.Get("expected").Get("result")}
		c.Name, _ = item.Get("name").Str()
		c.Class, _ = item.Get("class").Str()
		cases = append(cases, c)
		return true
	})
	if len(cases) == 0 {
		tb.Fatalf("%s: no cases", path)
	}
	tb.Logf("%s: %d cases", path, len(cases))
	return cases
}

// directory finds the folder of golden files.
func directory(tb testing.TB, folder string) string {
	tb.Helper()
	if dir := os.Getenv(dirVariable); dir != "" {
		dir = filepath.Join(dir, folder)
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	root, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Join(root, "testdata", "golden", folder)
		}
		parent := filepath.Dir(root)
		if parent == root {
			tb.Fatal("no go.mod above the test")
		}
		root = parent
	}
}

// Equal fails the test unless the result of a case is as it must be.
// Where the class binds nothing, any result and any error will do.
func Equal(t *testing.T, c *Case, got loadout.Value, err error) {
	t.Helper()
	switch {
	case !c.Binding():
	case err != nil:
		t.Errorf("%s (%s): %v", c.Name, c.Class, err)
	case got != c.Result:
		t.Errorf("%s (%s):\n got %s\nwant %s", c.Name, c.Class, got, c.Result)
	}
}
