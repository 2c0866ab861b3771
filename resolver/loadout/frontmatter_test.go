package loadout

import (
	"slices"
	"strings"
	"testing"
)

func TestFrontMatterMustEndInTheFirst64KiB(t *testing.T) {
	long := "---\nid: x\n" + strings.Repeat("# padding line\n", 5000) + "---\nbody"
	if fm, body := ParseFrontMatter(long, false); fm != nil || body != long {
		t.Errorf("front matter %+v, body of %d bytes", fm, len(body))
	}
	if fm, _ := ParseFrontMatter(long, true); fm == nil {
		t.Error("with compat it is read")
	}
}

func TestSerializeRefusesWhatWouldNotSurvive(t *testing.T) {
	good := FrontMatter{ID: "a: b # c", Keywords: []string{"a", "b c", "[x", "\u65e5"}, Patterns: []string{"p_q"}, Priority: "core", Triggers: Triggers{Edit: true}}
	if _, err := good.Serialize(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*FrontMatter){
		"empty id":              func(f *FrontMatter) { f.ID = "" },
		"boolean id":            func(f *FrontMatter) { f.ID = "true" },
		"list id":               func(f *FrontMatter) { f.ID = "[x]" },
		"quoted id":             func(f *FrontMatter) { f.ID = `"x"` },
		"outer space in id":     func(f *FrontMatter) { f.ID = " x" },
		"line feed in id":       func(f *FrontMatter) { f.ID = "x\npriority: manual" },
		"fence in id":           func(f *FrontMatter) { f.ID = "x\n---" },
		"unknown priority":      func(f *FrontMatter) { f.Priority = "weird" },
		"comma in keyword":      func(f *FrontMatter) { f.Keywords = []string{"a,b"} },
		"blank keyword":         func(f *FrontMatter) { f.Keywords = []string{" "} },
		"line feed in keyword":  func(f *FrontMatter) { f.Keywords = []string{"a\nb"} },
		"blank keyword at last": func(f *FrontMatter) { f.Keywords = []string{"a", ""} },
		"comma in pattern":      func(f *FrontMatter) { f.Patterns = []string{"a", "b,c"} },
		"triggers by keyword":   func(f *FrontMatter) { f.Keywords = []string{"a]\ntriggers: [x"} },
	} {
		f := good
		change(&f)
		if text, err := f.Serialize(); err == nil {
			t.Errorf("%s: written as %q", name, text)
		}
	}
}

// What Serialize writes is read back the same; no input makes the parser panic.
func FuzzFrontMatter(f *testing.F) {
	for _, seed := range []string{
		"---\nid: x\nkeywords: [a, b]\ntriggers:\n  task: true\n---\nbody", "---\nid: x\nkeywords:\n- a\n- b\nkeywords:\npatterns:\n  x: y\n---",
		"\ufeff---\r\nid: \"q\"\r\n---\r\n", "---\n---", "---\nid: \"\nkeywords: [\n---\n", "---\n:\n- :\n  :\n---",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		for _, compat := range []bool{false, true} {
			fm, body := ParseFrontMatter(content, compat)
			if fm == nil {
				if body != content {
					t.Fatalf("no front matter, but body %q of %q", body, content)
				}
				continue
			}
			if !strings.HasSuffix(content, body) || fm.ID == "" {
				t.Fatalf("id %q, body %q of %q", fm.ID, body, content)
			}
			text, err := fm.Serialize()
			if err != nil {
				continue
			}
			back, rest := ParseFrontMatter(text+"\n"+body, compat)
			if back == nil || rest != body || back.ID != fm.ID || back.Priority != fm.Priority || back.Triggers != fm.Triggers ||
				!slices.Equal(back.Keywords, fm.Keywords) || !slices.Equal(back.Patterns, fm.Patterns) {
				t.Fatalf("%+v becomes %+v, body %q", fm, back, rest)
			}
		}
	})
}
