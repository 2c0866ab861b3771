package browser_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
)

// everyNth is the share of the golden cases that runs in the browser.
const everyNth = 20

// goldenQuestion is one golden case as the page puts it.
type goldenQuestion struct {
	Index    string  `json:"index"` // address of the binary index
	Sum      string  `json:"sum"`
	Task     string  `json:"task"`
	Dialect  string  `json:"dialect"`
	MinScore float64 `json:"minScore"`
}

// testGoldenInBrowser puts golden cases to the loader that the site ships.
func testGoldenInBrowser(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	var questions []goldenQuestion
	var names, want []string
	ran := map[string]int{}
	for i, c := range sampled(t) {
		data, err := loadout.Marshal(goldentest.Index(c.Input.Get("index")))
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		sum := sha256.Sum256(data)
		q := goldenQuestion{
			Index: s.url(fmt.Sprintf("golden/%d.bin", i)), Sum: hex.EncodeToString(sum[:]),
			Task: c.Text("task"), Dialect: c.Text("dialect"), MinScore: loadout.DefaultMinScore,
		}
		if f, ok := c.Input.Get("opts").Get("minScore").Num(); ok {
			q.MinScore = f
		}
		s.add(fmt.Sprintf("golden/%d.bin", i), data)
		questions = append(questions, q)
		names = append(names, c.Name)
		want = append(want, `{"results":`+string(c.Result)+`}`)
		ran[q.Dialect]++
	}
	p := newTab(t, b)
	p.open(s.url("match.html"))
	var got []string
	p.eval(`(async () => {
		const { Matcher } = await import(document.querySelector('script[type="module"]').src);
		const answers = [];
		for (const q of `+literal(t, questions)+`) {
			const matcher = await Matcher.open(q.index, q.sum);
			answers.push(matcher.results(q.task, q.dialect, q.minScore));
		}
		return answers;
	})()`, &got)
	if len(got) != len(want) {
		t.Fatalf("%d answers, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s:\n got %s\nwant %s", names[i], got[i], want[i])
		}
	}
	if ran["coverage"] < 5 || ran["recall"] < 5 {
		t.Errorf("too few cases of a dialect: %v", ran)
	}
	t.Logf("%d cases ran: %v", len(want), ran)
	p.clean("the golden cases", s.URL)
}

// sampled returns every nth golden case of the matcher, of each dialect.
func sampled(t *testing.T) []goldentest.Case {
	t.Helper()
	seen := map[string]int{}
	var sample []goldentest.Case
	for _, c := range goldentest.Load(t, "loadout", "match.json") {
		if c.Fn() != "matchLoadout" || c.Class != "compat" || c.Input.Get("task").Kind() != loadout.String {
			continue
		}
		if seen[c.Text("dialect")]%everyNth == 0 {
			sample = append(sample, c)
		}
		seen[c.Text("dialect")]++
	}
	return sample
}

// trapOnce makes the first question end in a trap of WebAssembly, and counts
// the instances of the matcher.
const trapOnce = `(() => {
	const Original = WebAssembly.Instance;
	// (module (func (export "trap") unreachable))
	const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 8, 1, 4, 116, 114, 97, 112, 0, 0, 10, 5, 1, 3, 0, 0, 11];
	window.instances = 0;
	WebAssembly.Instance = function (module, imports) {
		const instance = new Original(module, imports);
		window.instances += 1;
		if (window.instances > 1) return instance;
		const trap = new Original(new WebAssembly.Module(new Uint8Array(bytes))).exports.trap;
		return { exports: { ...instance.exports, matchDetail: trap } };
	};
})()`

func testTrap(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	p.script(trapOnce)
	p.open(s.url("match.html"))
	p.ask("coverage", tasks[0])
	if said := p.text(`document.querySelector(".state").textContent`); !strings.Contains(said, "The matcher failed") || !strings.Contains(said, "unreachable") {
		t.Errorf("after a trap the page says %q", said)
	}
	var n int
	if p.eval("window.instances", &n); n != 1 {
		t.Fatalf("%d instances before the second question", n)
	}
	for range 2 {
		var got shown
		p.ask("coverage", tasks[0])
		p.eval(readShown, &got)
		compare(t, "after the trap", got, say(t, dir, "coverage", tasks[0]))
	}
	if p.eval("window.instances", &n); n != 2 {
		t.Errorf("%d instances, want a second one and no more", n)
	}
	if n := s.count(".wasm.gz"); n != 1 {
		t.Errorf("the module was fetched %d times", n)
	}
}

func testChangedFiles(t *testing.T, b context.Context, dir string) {
	for _, suffix := range []string{".wasm.gz"} {
		s := serve(t, dir, subPath)
		s.alter(func(name string, data []byte) []byte {
			if strings.HasSuffix(name, suffix) {
				data[len(data)/2] ^= 1
			}
			return data
		})
		p := newTab(t, b)
		p.open(s.url("match.html"))
		p.ask("coverage", tasks[0])
		said := p.text(`document.querySelector(".state").textContent`)
		if !strings.Contains(said, "The matcher failed") || !strings.Contains(said, suffix+" is not the file this page was made with") {
			t.Errorf("%s is changed, the page says %q", suffix, said)
		}
		if p.truth(`document.querySelector(".result").childElementCount`) {
			t.Errorf("%s is changed, and there is an answer", suffix)
		}
		// The next question tries again, when the file is right.
		s.alter(nil)
		var got shown
		p.ask("coverage", tasks[0])
		p.eval(readShown, &got)
		compare(t, suffix+" is right again", got, say(t, dir, "coverage", tasks[0]))
		p.clean("the page with a changed "+suffix, s.URL)
	}
}

// testUnpackingHost serves the module as some hosts do: they mistake its name for an
// encoding, and the browser unpacks it on the way.
func testUnpackingHost(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	s.header("Content-Encoding", "gzip", ".wasm.gz")
	p := newTab(t, b)
	p.open(s.url("match.html"))
	var got shown
	p.ask("coverage", tasks[0])
	p.eval(readShown, &got)
	compare(t, "from a host that unpacks", got, say(t, dir, "coverage", tasks[0]))
	p.clean("the match page", s.URL)
}

func testFetchedOnUse(t *testing.T, b context.Context, dir string) {
	s := serve(t, dir, subPath)
	p := newTab(t, b)
	for _, kind := range pageKinds(t, dir) {
		p.open(s.url(kind.path))
		p.eval(`new Promise((done) => setTimeout(done, 30))`, nil)
		for _, file := range []string{".wasm.gz", "match/index.json"} {
			if n := s.count(file); n != 0 {
				t.Fatalf("opening the page %s fetches %s", kind.name, file)
			}
		}
	}
	p.open(s.url("match.html"))
	p.do(chromedp.KeyEvent("ci"))
	p.wait(answered)
	for _, file := range []string{".wasm.gz", "match/index.json"} {
		if n := s.count(file); n != 1 {
			t.Errorf("%s was fetched %d times for one question", file, n)
		}
	}
	name := filepath.Base(p.text(`performance.getEntriesByType("resource").map((e) => e.name).find((n) => n.endsWith(".wasm.gz"))`))
	data := oktest.Value(os.ReadFile(filepath.Join(dir, "public", "assets", name)))(t)
	sum := sha256.Sum256(data)
	if !strings.Contains(name, hex.EncodeToString(sum[:5])) {
		t.Errorf("the name %s does not hold the digest of the file", name)
	}
}
