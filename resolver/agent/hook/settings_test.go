package hook

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

const command = "/usr/local/bin/packgen hook"

func TestInstallIntoNothing(t *testing.T) {
	const want = `{
  "hooks": {
    "UserPromptSubmit": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "/usr/local/bin/packgen hook",
            "timeout": 5
          }
        ]
      }
    ]
  }
}
`
	for _, text := range []string{"", "{}\n", "  \n"} {
		got, err := Claude.Install([]byte(text), command)
		if err != nil || string(got) != want {
			t.Errorf("%q gives %s, %v", text, got, err)
		}
	}
}

var settings = []string{
	"{\n    \"model\" : \"x\",   \"odd\":[1,2],\n    \"permissions\": {\"allow\": [\"Bash(ls)\"]}\n}\n",
	"{\r\n\t\"a\": 1.50\r\n}\r\n",
	`{"a":{"b":[]},"a2":1e5}`,
	"{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say \\\"done\\\" }\"}]}\n    ]\n  },\n  \"z\": null\n}",
	"{\n  \"hooks\": {\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"other\" }\n        ]\n      }\n    ]\n  }\n}\n",
	`{"hooks":{"UserPromptSubmit":[{"matcher":"","hooks":[{"type":"command","command":"other"}]},5,null]}}`,
}

func TestInstallKeepsEverythingElseAndUninstallRestoresIt(t *testing.T) {
	for _, text := range settings {
		installed, err := Claude.Install([]byte(text), command)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := Claude.Commands(installed); err != nil || !slices.Equal(got, []string{command}) {
			t.Errorf("%s\ncommands %q, %v", installed, got, err)
		}
		if _, err := indexjson.Parse(installed); err != nil {
			t.Errorf("%s\n%v", installed, err)
		}
		again, err := Claude.Install(installed, command)
		if err != nil || !bytes.Equal(again, installed) {
			t.Errorf("a second install changes\n%s\nto\n%s, %v", installed, again, err)
		}
		if strings.Contains(text, "\r\n") && strings.Count(string(installed), "\n") != strings.Count(string(installed), "\r\n") {
			t.Errorf("line ends are mixed: %q", installed)
		}
		gone, err := Claude.Uninstall(installed)
		if err != nil || compact(t, gone) != compact(t, []byte(text)) {
			t.Errorf("uninstall gives\n%s\nof\n%s, %v", gone, text, err)
		}
		if string(gone) != text {
			t.Errorf("uninstall gives\n%q\nof\n%q", gone, text)
		}
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	return string(oktest.Value(indexjson.Parse(text))(t))
}

func TestAnotherCommandOfOursIsReplaced(t *testing.T) {
	text := oktest.Value(Claude.Install([]byte(settings[0]), "packgen hook"))(t)
	got := oktest.Value(Claude.Install(text, `"C:\Program Files\packgen.exe" hook --reserve 2`))(t)
	if list, err := Claude.Commands(got); err != nil || len(list) != 1 || !strings.HasSuffix(list[0], "--reserve 2") {
		t.Errorf("%q, %v", list, err)
	}
}

func TestWhoseCommand(t *testing.T) {
	for text, want := range map[string]bool{
		"packgen hook": true, "/a b/packgen hook": false, `"/a b/packgen" hook`: true, "packgen.exe hook --reserve 1": true,
		"packgen": false, "packgen build hook": false, "echo packgen hook": false, "": false, `"`: false, "notpackgen hook": false, `C:\x\packgen.exe hook`: true,
		"/opt/my/packgen-hook --mine": false, "packgen-hook": true, "/usr/bin/packgen-hook --inject=800 --reserve 2 --record-misses": true, "packgen-hook go": false,
		`cd "$CLAUDE_PROJECT_DIR" && packgen hook --inject 500 2>/dev/null || true`: true, "AI_LOADOUT_HOOK=debug packgen hook 2>&1": true,
		"packgen -C /x hook": true, "packgen hook test --prompt x": false, "packgen hook; rm -r x": false, "other | packgen hook": false, "exec packgen-hook": true,
	} {
		if got := IsOurs(text); got != want {
			t.Errorf("IsOurs(%q) = %t", text, got)
		}
	}
}

func TestSettingsThatAreNotEdited(t *testing.T) {
	var syntax *indexjson.SyntaxError
	for _, text := range []string{"{ // a comment\n}", "{\"a\":1,}", "{", "\xef\xbb\xbf{}", "hello"} {
		if _, err := Claude.Install([]byte(text), command); !errors.As(err, &syntax) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := Claude.Uninstall([]byte(text)); !errors.As(err, &syntax) {
			t.Errorf("%q: %v", text, err)
		}
	}
	ours := `{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"packgen hook"}]}]}}`
	for _, text := range []string{
		"[]", "5", `{"hooks":[]}`, `{"hooks":{"UserPromptSubmit":{}}}`,
		// Taking the second away would bring the first to life.
		`{"hooks":{"Stop":[]},` + ours[1:], `{"hooks":{"UserPromptSubmit":[],` + ours[len(`{"hooks":{`):],
		strings.Replace(ours, `{"command":"packgen hook"}`, `{"command":"packgen hook"}`+strings.Repeat(`,{"command":"packgen hook"}`, maxWired), 1),
	} {
		if _, err := Claude.Install([]byte(text), command); !errors.Is(err, errShape) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := Claude.Uninstall([]byte(text)); !errors.Is(err, errShape) {
			t.Errorf("uninstall of %q: %v", text, err)
		}
	}
}

func FuzzSettings(f *testing.F) {
	for _, text := range settings {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		installed, err := Claude.Install(text, command)
		if err != nil {
			return
		}
		if list, err := Claude.Commands(installed); err != nil || len(list) == 0 || !slices.Contains(list, command) {
			t.Fatalf("%q\nto %q: %q, %v", text, installed, list, err)
		}
		gone, err := Claude.Uninstall(installed)
		if err != nil {
			t.Fatalf("%q: %v", installed, err)
		}
		if list, err := Claude.Commands(gone); err != nil || len(list) != 0 {
			t.Fatalf("%q still has %q, %v", gone, list, err)
		}
	})
}

// Gemini has another event, milliseconds and comments; an answer is for the event that
// it was asked about.
func TestGeminiHasItsOwnEvent(t *testing.T) {
	const had = "{\n  // mine\n  \"theme\": \"x\",\n}\n"
	got, err := Gemini.Install([]byte(had), "packgen-hook")
	if err != nil || !strings.Contains(string(got), `"BeforeAgent": [`) || !strings.Contains(string(got), `"timeout": 5000`) || !strings.Contains(string(got), "// mine") {
		t.Fatalf("%s, %v", got, err)
	}
	if again, err := Gemini.Install(got, "packgen-hook"); err != nil || string(again) != string(got) {
		t.Errorf("twice is not once: %s, %v", again, err)
	}
	if list, err := Gemini.Commands(got); err != nil || !slices.Equal(list, []string{"packgen-hook"}) {
		t.Errorf("%q, %v", list, err)
	}
	if plain, err := Gemini.Uninstall(got); err != nil || strings.Contains(string(plain), "packgen") || !strings.Contains(string(plain), "// mine") {
		t.Errorf("%s, %v", plain, err)
	}
	for event, want := range map[string]string{`{"hook_event_name":"BeforeAgent"}`: "BeforeAgent", `{"hook_event_name":"UserPromptSubmit"}`: "UserPromptSubmit", `{}`: "UserPromptSubmit", `{"hook_event_name":"\"x"}`: "UserPromptSubmit"} {
		a := &answer{event: loadout.Value(event), text: "t"}
		if got := string(a.envelope()); !strings.Contains(got, `"hookEventName":"`+want+`"`) {
			t.Errorf("%s is answered by %s", event, got)
		}
	}
}

// A flag that is not given again stays, and so does what a shell does besides.
func TestRenewedKeepsTheFlagsOfTheOldCommand(t *testing.T) {
	t.Parallel()
	for _, c := range [...][3]string{
		{"packgen hook --inject=800 --reserve 2", "/x/packgen-hook", "/x/packgen-hook --inject=800 --reserve 2"},
		{"packgen hook --inject 800 --project \"a b\"", "packgen-hook --inject=500", "packgen-hook --inject=500 --project \"a b\""},
		{"cd x && AI_LOADOUT_HOOK=debug packgen hook --record-misses 2>/dev/null || true", "packgen hook --reserve 1", "cd x && AI_LOADOUT_HOOK=debug packgen hook --reserve 1 --record-misses 2>/dev/null || true"},
		{"packgen hook", "packgen hook", "packgen hook"},
		{"other", "packgen hook", "packgen hook"},
	} {
		if got := renewed(c[0], c[1]); got != c[2] {
			t.Errorf("%q with %q becomes %q, want %q", c[0], c[1], got, c[2])
		}
		if got := renewed(renewed(c[0], c[1]), c[1]); got != c[2] {
			t.Errorf("%q: twice gives %q", c[0], got)
		}
	}
}

// A group of handlers of which only a matcher would be left goes as a whole.
func TestNoMatcherOutlivesTheHook(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"hooks":{"UserPromptSubmit":[{"matcher":"","hooks":[{"command":"packgen hook"}]}]},"a":1}`:                      `{"a":1}`,
		`{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"packgen hook"}],"matcher":""},{"hooks":[]}]}}`:               `{"hooks":{"UserPromptSubmit":[{"hooks":[]}]}}`,
		`{"hooks":{"UserPromptSubmit":[{"matcher":"","hooks":[{"command":"packgen hook"},{"command":"x"}]}]}}`:            `{"hooks":{"UserPromptSubmit":[{"matcher":"","hooks":[{"command":"x"}]}]}}`,
		`{"hooks":{"UserPromptSubmit":[{"note":"mine","hooks":[{"command":"packgen hook"}]}]}}`:                           `{"hooks":{"UserPromptSubmit":[{"note":"mine"}]}}`,
		`{"hooks":{"UserPromptSubmit":[{"matcher":"","hooks":[{"command":"packgen hook"},{"command":"packgen-hook"}]}]}}`: `{}`,
	} {
		got, err := Claude.Uninstall([]byte(text))
		if err != nil || string(got) != want {
			t.Errorf("%s\nbecomes %s, %v, want %s", text, got, err, want)
		}
	}
}

// A hook with arguments of its own, which no shell parts, is the same hook.
func TestAHookWithArgumentsIsKnown(t *testing.T) {
	t.Parallel()
	const text = `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"/a b/packgen","args":["hook","--inject=800"]}]}]}}`
	list, err := Claude.Commands([]byte(text))
	if err != nil || len(list) != 1 || list[0] != `"/a b/packgen" hook --inject=800` {
		t.Errorf("commands are %q, %v", list, err)
	}
	got, err := Claude.Install([]byte(text), `"/a b/packgen" hook`)
	if err != nil || string(got) != text {
		t.Errorf("it becomes %s, %v", got, err)
	}
	got, err = Claude.Install([]byte(text), "packgen-hook")
	if list, _ := Claude.Commands(got); err != nil || len(list) != 1 || list[0] != "packgen-hook --inject=800" || strings.Contains(string(got), "args") {
		t.Errorf("it becomes %s, %v", got, err)
	}
	if got, err := Claude.Uninstall([]byte(text)); err != nil || string(got) != "{}" {
		t.Errorf("without it: %s, %v", got, err)
	}
}
