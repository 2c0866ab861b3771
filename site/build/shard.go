package build

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/workspace"
)

// Shard is one share of the packs of a repository, for a build on several machines: the
// machine of each share compiles it into a part, and one joins the parts to the site.
type Shard struct {
	Number int // from 1
	Of     int // 0 means all packs in one
}

// mostShards bounds how many parts a build may have.
const mostShards = 1000

// ParseShard reads a shard in its form on the command line, such as 2/4.
func ParseShard(text string) (Shard, error) {
	number, of, ok := strings.Cut(text, "/")
	n, err1 := strconv.Atoi(number)
	m, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > m || m > mostShards {
		return Shard{}, diag.WithHint(fmt.Errorf("%q does not name a shard", text), "write it as 2/4, the second of four; there are at most %d", mostShards)
	}
	return Shard{n, m}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// share returns the members of a shard in their order: the largest packs are dealt out
// first, each to the shard with the least text so far.
func (s Shard) share(members []*workspace.Member) []*workspace.Member {
	bySize := slices.Clone(members)
	slices.SortStableFunc(bySize, func(a, b *workspace.Member) int {
		return cmp.Or(cmp.Compare(b.Text(), a.Text()), cmp.Compare(a.Dir, b.Dir))
	})
	load := make([]int64, s.Of)
	mine := map[*workspace.Member]bool{}
	for _, m := range bySize {
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		load[least] += m.Text() + 1 // a pack without text is one, too
		mine[m] = least == s.Number-1
	}
	return slices.DeleteFunc(slices.Clone(members), func(m *workspace.Member) bool { return !mine[m] })
}

// partName is the file that says what a part holds; beside it is a store.
const (
	partName    = "packgen-part.json"
	partStore   = "store"
	partVersion = 1
	maxPart     = 1 << 20 // bytes of that file
)

// part is what that file says.
type part struct {
	Version int      `json:"format_version"`
	Packgen string   `json:"packgen"`
	Shard   string   `json:"shard"`
	Packs   []string `json:"packs"`
}

// WriteShard compiles the packs of a shard, and leaves what index and site need of them as
// a part in the directory Flags.Out. The packs' compiled outputs are written as by any
// build.
func (b *Run) WriteShard(ctx context.Context) (err error) {
	defer b.Stages.End()
	if b.overlay != "" || b.Flags.NoCache || b.Flags.DryRun {
		return diag.WithHint(fmt.Errorf("a shard needs the store of its repository"), "leave out --overlay, --no-cache and --dry-run")
	}
	dir := b.Out
	if err := emptyOrPart(dir); err != nil {
		return diag.WithHint(fmt.Errorf("write the part %s: %w", b.ws.Rel(dir), err), "name a directory with --out DIR that does not exist yet, is empty, or holds an earlier part")
	}
	b.Repository.Members = b.Flags.Shard.share(b.Repository.Members)
	if b.Repository.Blocked() {
		return b.inspect(ctx)
	}
	b.Stages.Begin("compile")
	t, err := b.newTools(ctx, false)
	if err != nil {
		return err
	}
	o := b.compileOptions()
	o.Disk, o.Alone = t.disk, true
	o.Contribute = func(p *pack.Pack) []compiler.Contributor {
		return []compiler.Contributor{t.builder.Contributor(p), t.pages.Contributor()}
	}
	err = b.ws.Compile(ctx, b.Repository, o)
	t.close()
	if err != nil {
		return err
	}
	b.Stages.Begin("write")
	p := part{partVersion, compiler.Version, b.Flags.Shard.String(), []string{}}
	groups := []string{workspace.IndexGroup, workspace.SiteGroup, workspace.CodeGroup}
	for _, m := range b.Repository.Members {
		p.Packs = append(p.Packs, m.Name())
		groups = append(groups, workspace.PackGroup+m.Name())
	}
	if err := regularfile.RemoveAll(filepath.Join(dir, partStore)); err != nil {
		return fmt.Errorf("clear the part: %w", err)
	}
	if err := regularfile.MkdirAll(filepath.Join(dir, partStore), 0o777); err != nil {
		return fmt.Errorf("make the part: %w", err)
	}
	if _, err := store.Copy(filepath.Join(dir, partStore), b.ws.StorePath(), groups...); err != nil {
		return err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("describe the part: %w", err)
	}
	return atomicfile.Write(filepath.Join(dir, partName), append(data, '\n'))
}

// emptyOrPart refuses a directory that holds something else than a part.
func emptyOrPart(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != partName && e.Name() != partStore {
			return fmt.Errorf("it holds %s, which is of no part", e.Name())
		}
	}
	return nil
}

// Join takes parts into the store of the repository, so that the build after it does not
// compile again what they hold. It returns remarks, in no order of importance: a part that
// is missing or of another version costs time and nothing else.
func Join(w *workspace.Workspace, dirs []string) (remarks []string, err error) {
	found := map[string]bool{}
	of := 0
	for _, dir := range dirs {
		path := w.Path(dir)
		const hint = "name directories that packgen build --shard has written"
		data, err := atomicfile.Read(filepath.Join(path, partName), maxPart)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, diag.Absent("part", dir, hint)
		}
		var p part
		if err == nil {
			err = json.Unmarshal(data, &p)
		}
		var s Shard
		if err == nil {
			s, err = ParseShard(p.Shard)
		}
		if err == nil && p.Version != partVersion {
			err = fmt.Errorf("its format has version %d, not %d", p.Version, partVersion)
		}
		if err != nil {
			return nil, diag.WithHint(fmt.Errorf("join %s: %w", dir, err), hint)
		}
		if p.Packgen != compiler.Version {
			remarks = append(remarks, fmt.Sprintf("the part %s is of packgen %s: what it holds is compiled again", dir, p.Packgen))
		}
		found[p.Shard], of = true, max(of, s.Of)
		if _, err := store.Adopt(w.StorePath(), filepath.Join(path, partStore)); err != nil {
			return nil, fmt.Errorf("join %s: %w", dir, err)
		}
	}
	for i := range of {
		if s := (Shard{i + 1, of}).String(); !found[s] {
			remarks = append(remarks, fmt.Sprintf("part %s is missing: its packs are compiled here", s))
		}
	}
	return remarks, nil
}
