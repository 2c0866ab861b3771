package doctor

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

// update rewrites what the embedded module answers.
var update = flag.Bool("update", false, "rewrite matcheranswers.sum")

// wasmMatch answers with the embedded WebAssembly module.
func wasmMatch(t *testing.T, index []byte) matchFunc {
	t.Helper()
	_, module, err := assets.Matcher()
	oktest.Check(t, err)
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	t.Cleanup(func() { runtime.Close(ctx) })
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		t.Fatal(err)
	}
	m := oktest.Value(runtime.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithStartFunctions("_initialize")))(t)
	call := func(name string, args ...uint64) uint64 {
		results, err := m.ExportedFunction(name).Call(ctx, args...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return append(results, 0)[0]
	}
	put := func(data []byte) uint64 {
		at := call("alloc", uint64(len(data)))
		if !m.Memory().Write(uint32(at), data) {
			t.Fatalf("no buffer of %d bytes", len(data))
		}
		return at
	}
	if code := call("load", put(index), uint64(len(index))); code != 0 {
		t.Fatalf("load: %d", code)
	}
	return func(task string, o loadout.MatchOptions) (string, error) {
		bits := uint64(0)
		if o.Dialect == loadout.Recall {
			bits = 1
		}
		at := put([]byte(task))
		place := call("match", at, uint64(len(task)), bits, api.EncodeF64(*o.MinScore))
		text, ok := m.Memory().Read(uint32(place>>32), uint32(place))
		if !ok {
			t.Fatalf("answer outside the memory: %x", place)
		}
		answer := strings.TrimSuffix(strings.TrimPrefix(string(text), `{"results":`), "}")
		call("free", at)
		return answer, nil
	}
}

// What doctor compares this program's answers with is what the WebAssembly module
// answers, and both are the same.
func TestTheNotedAnswersAreThoseOfWebAssembly(t *testing.T) {
	t.Parallel()
	index := oktest.Value(probeIndex())(t)
	native := oktest.Value(nativeMatch(index))(t)
	browser := wasmMatch(t, index)
	floor, hits := loadout.DefaultMinScore, 0
	for _, task := range probeTasks {
		o := loadout.MatchOptions{MinScore: &floor}
		want := oktest.Value(native(task, o))(t)
		if got, _ := browser(task, o); got != want {
			t.Errorf("%q: WebAssembly answers %s, the program %s", task, got, want)
		}
		hits += strings.Count(want, `"score"`)
	}
	if hits < 20 {
		t.Errorf("the probe has only %d hits", hits)
	}
	sum := oktest.Value(matcherDigest(browser))(t)
	if *update {
		oktest.Check(t, os.WriteFile("matcheranswers.sum", []byte(sum+"\n"), 0o666))
	} else if strings.TrimSpace(wasmAnswers) != sum {
		t.Errorf("matcheranswers.sum holds %s, WebAssembly answers %s: run this test with -update", wasmAnswers, sum)
	}
	if own, err := matcherDigest(native); err != nil || own != sum {
		t.Errorf("this program answers %s, WebAssembly %s, %v", own, sum, err)
	}
}

// The probe distinguishes a matcher with another rule.
func TestTheProbeDistinguishesMatchers(t *testing.T) {
	index := oktest.Value(probeIndex())(t)
	native := oktest.Value(nativeMatch(index))(t)
	sum, err := matcherDigest(func(task string, o loadout.MatchOptions) (string, error) {
		answer, err := native(task, o)
		return strings.Replace(answer, "0.3333333333333333", "0.33333333333333337", 1), err
	})
	if err != nil || sum == strings.TrimSpace(wasmAnswers) {
		t.Errorf("the last digit of a score is not seen: %v", err)
	}
}
