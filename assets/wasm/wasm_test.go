// Package main_test runs the committed matcher module under a WebAssembly
// runtime: the golden cases, and everything that must not make it trap.
package main_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
)

// The arguments of the exports, as their contract names them.
const (
	optionRecall   = 1
	optionCompat   = 2
	optionWeighted = 4
)

// compiled compiles the module once for all tests of the package.
var compiled = sync.OnceValues(func() (wazero.CompiledModule, error) {
	packed, err := os.Open("../dist/matcher.wasm.gz")
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	module, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	runtime := sharedRuntime()
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return nil, err
	}
	return runtime.CompileModule(ctx, module)
})

var sharedRuntime = sync.OnceValue(func() wazero.Runtime {
	return wazero.NewRuntime(context.Background())
})

// module is one instance of the matcher.
type module struct {
	t *testing.T
	api.Module
}

func newModule(t *testing.T) *module {
	t.Helper()
	code := oktest.Value(compiled())(t)
	ctx := context.Background()
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").
		WithSysNanotime().WithSysWalltime().WithStderr(os.Stderr)
	instance := oktest.Value(sharedRuntime().InstantiateModule(ctx, code, config))(t)
	t.Cleanup(func() { instance.Close(ctx) })
	return &module{t, instance}
}

// call calls an export; a trap fails the test.
func (m *module) call(name string, args ...uint64) uint64 {
	m.t.Helper()
	results, err := m.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		m.t.Fatalf("%s%v: %v", name, args, err)
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

// put writes data into a new buffer.
func (m *module) put(data []byte) uint64 {
	m.t.Helper()
	at := m.call("alloc", uint64(len(data)))
	if at == 0 || !m.Memory().Write(uint32(at), data) {
		m.t.Fatalf("no buffer of %d bytes", len(data))
	}
	return at
}

// open loads an index and requires that it is accepted.
func (m *module) open(ix *loadout.Index) {
	m.t.Helper()
	data := oktest.Value(loadout.Marshal(ix))(m.t)
	if code := m.call("load", m.put(data), uint64(len(data))); code != 0 {
		m.t.Fatalf("load: %d", code)
	}
}

// read returns the text a packed place names.
func (m *module) read(place uint64) string {
	m.t.Helper()
	data, ok := m.Memory().Read(uint32(place>>32), uint32(place))
	if !ok {
		m.t.Fatalf("answer outside the memory: %x", place)
	}
	return string(data)
}

// ask asks about a task and returns the answer.
func (m *module) ask(export, task string, options uint64, minScore float64, more ...uint64) string {
	m.t.Helper()
	at := m.put([]byte(task))
	args := append([]uint64{at, uint64(len(task)), options, api.EncodeF64(minScore)}, more...)
	answer := m.read(m.call(export, args...))
	m.call("free", at)
	return answer
}

// optionsOf returns the options of a golden case for the kernel and for the module.
func optionsOf(c *goldentest.Case) (opts loadout.MatchOptions, bits uint64, minScore float64) {
	minScore = loadout.DefaultMinScore
	if f, ok := c.Input.Get("opts").Get("minScore").Num(); ok {
		minScore = f
	}
	opts = loadout.MatchOptions{Compat: c.Compat(), MinScore: &minScore}
	if opts.Compat {
		bits |= optionCompat
	}
	if c.Text("dialect") == "recall" {
		opts.Dialect = loadout.Recall
		bits |= optionRecall
	}
	return opts, bits, minScore
}

// Every golden case of the matcher, in WebAssembly.
func TestGoldenMatchInWebAssembly(t *testing.T) {
	m := newModule(t)
	ran := 0
	for _, c := range goldentest.Load(t, "loadout", "match.json") {
		if c.Fn() != "matchLoadout" || c.Input.Get("task").Kind() != loadout.String {
			continue // lookup is not exported; a task is always text here
		}
		ran++
		m.open(goldentest.Index(c.Input.Get("index")))
		_, bits, minScore := optionsOf(&c)
		answer := m.ask("match", c.Text("task"), bits, minScore)
		if c.Binding() {
			if want := `{"results":` + string(c.Result) + `}`; answer != want {
				t.Errorf("%s:\n got %s\nwant %s", c.Name, answer, want)
			}
		} else if !json.Valid([]byte(answer)) {
			t.Errorf("%s: not JSON: %s", c.Name, answer)
		}
	}
	t.Logf("%d cases ran", ran)
}

// The arithmetic in WebAssembly is that of the native kernel, to the last digit.
func TestDetailEqualsNative(t *testing.T) {
	m := newModule(t)
	for i, c := range goldentest.Load(t, "loadout", "match.json") {
		if c.Fn() != "matchLoadout" || c.Class != "compat" || i%4 != 0 {
			continue
		}
		ix := goldentest.Index(c.Input.Get("index"))
		opts, bits, minScore := optionsOf(&c)
		b := oktest.Value(loadout.Detail(c.Text("task"), ix, opts))(t)
		m.open(ix)
		for _, limit := range []int{0, 2} {
			want := string(loadout.AppendBreakdown(nil, b, limit, 1))
			if got := m.ask("matchDetail", c.Text("task"), bits, minScore, uint64(limit), 1); got != want {
				t.Errorf("%s, limit %d:\n got %s\nwant %s", c.Name, limit, got, want)
			}
		}
	}
}

// Other wordings of a task, in every dialect, are answered as the native kernel does.
func TestOtherWordingsEqualNative(t *testing.T) {
	ix := &loadout.Index{Entries: []loadout.Entry{
		{ID: "ops-ci", Keywords: []string{"ci", "gate"}, Priority: "domain", Summary: "What each gate means."},
		{ID: "ops-release", Keywords: []string{"tag", "changelog"}, Priority: "domain", Summary: "Cut a release."},
		{ID: "always", Priority: "core"},
	}}
	m := newModule(t)
	m.open(ix)
	for d, bits := range []uint64{0, optionRecall, optionWeighted} {
		for _, also := range [][]string{nil, {"the tag"}, {"", "changelog", "gate", "\xff"}} {
			opts := loadout.MatchOptions{Dialect: loadout.Dialect(d), Also: also}
			results := oktest.Value(loadout.Match("why is the ci red", ix, opts))(t)
			question := strings.Join(append([]string{"why is the ci red"}, also...), "\x1e")
			threshold := opts.Threshold()
			if got, want := m.ask("match", question, bits, threshold), `{"results":`+string(loadout.AppendResults(nil, results))+`}`; got != want {
				t.Errorf("%v, also %q:\n got %s\nwant %s", opts.Dialect, also, got, want)
			}
			b := oktest.Value(loadout.Detail("why is the ci red", ix, opts))(t)
			if got, want := m.ask("matchDetail", question, bits, threshold, 0, 0), string(loadout.AppendBreakdown(nil, b, 0, 0)); got != want {
				t.Errorf("%v, also %q:\n got %s\nwant %s", opts.Dialect, also, got, want)
			}
		}
	}
}

// Bad input is answered, never a trap, and the instance keeps working.
func TestBadInputDoesNotTrap(t *testing.T) {
	m := newModule(t)
	isError := func(what, answer string) {
		t.Helper()
		if !strings.HasPrefix(answer, `{"error":"`) || !json.Valid([]byte(answer)) {
			t.Errorf("%s: got %s", what, answer)
		}
	}
	isError("no index", m.ask("match", "ci", 0, 0.1))
	isError("no index", m.ask("matchDetail", "ci", 0, 0.1, 0, 0))

	minusOne := api.EncodeI32(-1)
	for _, size := range []uint64{minusOne, 512<<20 + 1, 0x7fffffff} {
		if at := m.call("alloc", size); at != 0 {
			t.Errorf("alloc(%d) gave %d", int32(size), at)
		}
	}
	if m.call("alloc", 0) == 0 {
		t.Error("alloc(0) gave no buffer")
	}
	if at := m.call("alloc", 120<<20); at == 0 {
		t.Error("no buffer for an index of 200,000 entries")
	} else {
		m.call("free", at)
	}
	m.call("free", 0)
	m.call("free", 12345)

	if code := m.call("load", 12345, 10); code != 1 {
		t.Errorf("load of no buffer: %d", code)
	}
	small := m.put([]byte("short"))
	if code := m.call("load", small, 6); code != 1 {
		t.Errorf("load beyond a buffer: %d", code)
	}
	if code := m.call("load", small, 5); code != 2 {
		t.Errorf("load of nonsense: %d", code)
	}

	m.open(&loadout.Index{Entries: []loadout.Entry{{ID: "ci", Keywords: []string{"ci"}, Priority: "domain"}}})
	isError("task outside", m.read(m.call("match", 12345, 3, 0, api.EncodeF64(0.1))))
	isError("task too long", m.read(m.call("match", small, 6, 0, api.EncodeF64(0.1))))
	isError("negative size", m.read(m.call("match", small, minusOne, 0, api.EncodeF64(0.1))))
	for _, threshold := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0} {
		for options := range uint64(4) {
			if answer := m.ask("match", "ci\xff\x00", options, threshold); !json.Valid([]byte(answer)) {
				t.Errorf("minScore %v: %s", threshold, answer)
			}
		}
	}
	if answer := m.ask("match", "fix ci", 0, 0.1); !strings.Contains(answer, `"score":1`) {
		t.Errorf("after bad input: %s", answer)
	}
}

// A damaged file is refused and no index is left behind.
func TestDamagedIndexIsRefused(t *testing.T) {
	m := newModule(t)
	ix := &loadout.Index{Entries: []loadout.Entry{{ID: "ci", Keywords: []string{"ci"}, Priority: "domain"}}}
	data := oktest.Value(loadout.Marshal(ix))(t)
	for i := 0; i < len(data); i += 7 {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x40
		if code := m.call("load", m.put(damaged), uint64(len(damaged))); code != 2 {
			t.Errorf("byte %d changed: load gives %d", i, code)
		}
	}
	m.open(ix)
	if code := m.call("load", m.put(data[:20]), 20); code != 2 {
		t.Errorf("cut short: load gives %d", code)
	}
	if answer := m.ask("match", "ci", 0, 0.1); !strings.Contains(answer, "error") {
		t.Errorf("after a failed load: %s", answer)
	}
}

func TestLongTask(t *testing.T) {
	m := newModule(t)
	m.open(&loadout.Index{Entries: []loadout.Entry{{ID: "ci", Keywords: []string{"ci"}, Priority: "domain"}}})
	task := strings.Repeat("word \u00fc ", 1<<17) + "ci"
	if answer := m.ask("match", task, 0, 0.1); !strings.Contains(answer, `"matchedKeywords":["ci"]`) {
		t.Errorf("got %s", answer)
	}
}
