package boot

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// BenchmarkBoot boots a role of 1,000 briefs with 100 globs from disk, as the
// command does, reading and printing everything that is said.
func BenchmarkBoot(b *testing.B) {
	dir := b.TempDir()
	files := map[string]string{}
	text := strings.Repeat("A rule, an example with `code`, and <why> it holds.\n", 48) // 2.5 KB
	for i := range 1000 {
		files[fmt.Sprintf("briefs/practices/area%d/topic%d/rule.require.thing%d.[lesson].md", i%10, i%50, i)] = text
	}
	var yml strings.Builder
	yml.WriteString("always: {briefs: {say: ['briefs/practices/**/rule.*.[lesson].md']}}\n")
	for i := range 99 {
		fmt.Fprintf(&yml, "subject.s%d: {briefs: {say: ['practices/area%d/**/*thing%d*.md']}}\n", i, i%10, i)
	}
	files["boot.yml"] = yml.String()
	oktest.Write(b, dir, files)
	b.ReportAllocs()
	for b.Loop() {
		role := oktest.Value(Open(dir, OpenOptions{}))(b)
		res := oktest.Value(role.Boot(context.Background(), Options{}))(b)
		oktest.Check(b, res.Render(io.Discard))
		oktest.Check(b, role.Close())
	}
}

// BenchmarkParse reads a boot.yml of 10,000 subjects.
func BenchmarkParse(b *testing.B) {
	var yml strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&yml, "subject.s%d:\n  briefs:\n    say: [practices/**/*thing%d*.md, core.md]\n", i, i)
	}
	data := []byte(yml.String())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if cfg, found := Parse("boot.yml", data); cfg == nil {
			b.Fatal(found)
		}
	}
}
