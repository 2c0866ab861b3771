package faults_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
)

// Two to eight processes at once on one repository and its store: each ends with the
// bytes that it has alone, or says who holds the lock; and the build after them leaves
// what one leaves that nobody disturbed.
func TestFaultProcessesOnOneRepository(t *testing.T) {
	t.Parallel()
	count := torturetest.Start(t, "processes", "build, compile, check, resolve, match", 5, 200)
	chance := rand.New(rand.NewPCG(40, 1))
	c := newCrasher(t, "build")
	e, _ := c.edited(t)
	base, fresh, before, after := e.base, e.fresh, e.before, e.after
	verbs := []string{"build", "build", "compile", "build --no-cache", "check --fail-on never", "resolve text of b", "match text"}
	alone := map[string][2]string{} // what readers print before and after
	for _, verb := range verbs[5:] {
		reader := *c
		reader.verb = verb
		var outputs [2]string
		for i, dir := range []string{base, fresh} {
			cmd, out := reader.prepare(copyRepo(t, dir), 1)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%s: %v\n%s", verb, err, out)
			}
			outputs[i] = out.String()
		}
		alone[verb] = outputs
	}
	for range count.Rounds() {
		count.Done(1)
		dir := copyRepo(t, base)
		var running []*exec.Cmd
		var outputs []*bytes.Buffer
		var chosen []string
		for range 2 + chance.IntN(7) {
			one := *c
			one.verb = verbs[chance.IntN(len(verbs))]
			cmd, out := one.prepare(dir, 1)
			oktest.Check(t, cmd.Start())
			running, outputs, chosen = append(running, cmd), append(outputs, out), append(chosen, one.verb)
		}
		for i, cmd := range running {
			err, out := cmd.Wait(), outputs[i].String()
			expected, reads := alone[chosen[i]]
			switch {
			case err != nil && !strings.Contains(out, "another run is writing there"):
				count.Wrong("%s among %q: %v\n%s", chosen[i], chosen, err, out)
			case err == nil && reads && out != expected[0] && out != expected[1]:
				count.Wrong("%s among %q prints\n%s\nalone it prints\n%s\nor\n%s", chosen[i], chosen, out, expected[0], expected[1])
			}
		}
		c.check(count, c.tree(dir), before, after)
		c.run(dir, 1)
		if got := c.tree(dir); differing(got, after) != "" {
			count.Wrong("after %q the next build leaves %s", chosen, differing(got, after))
		}
		if err := os.RemoveAll(dir); err != nil || t.Failed() {
			return
		}
	}
}
