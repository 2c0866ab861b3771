package build

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/repo"
)

// idDatesUnknown is the rule about dates that the history does not say.
const idDatesUnknown = "dates-unknown"

// commitMark begins a commit in the list that git prints; no path begins with it.
const commitMark = "\x01"

// lastChanged returns when the files of the repository were last changed, by their paths
// from its root, as the commits of git say. What is not committed yet counts as it was.
func (b *Run) lastChanged(ctx context.Context) (map[string]time.Time, error) {
	git, err := repo.OpenGit(ctx, b.ws.Paths.Dir)
	if err != nil {
		return nil, err
	}
	shallow, err := git.Run(ctx, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	cut := strings.TrimSpace(string(shallow)) == "true"
	args := []string{"--format=" + commitMark + "%ct %P", "--name-only", "-z", "--no-renames"}
	if git.Below != "." {
		args = append(args, "--relative="+git.Below+"/")
	}
	args = append(args, "--")
	for _, m := range b.Repository.Members {
		args = append(args, path.Join(git.Below, m.Dir))
		if m.Pack != nil {
			for _, mapped := range b.ws.Mappings(m.Dir) {
				if dir := b.ws.Paths.Rel(mapped.Dir); !filepath.IsAbs(dir) { // another folder may be in no repository
					args = append(args, path.Join(git.Below, dir))
				}
			}
		}
	}
	out, err := git.Run(ctx, "log", args...)
	if err != nil {
		return nil, err
	}
	return readHistory(bytes.NewReader(out), cut)
}

// readHistory reads the commits that git prints, newest first. The oldest commit of a
// history that was cut holds every file, whatever changed it: it says nothing.
func readHistory(r io.Reader, cut bool) (map[string]time.Time, error) {
	changed := map[string]time.Time{}
	var at time.Time
	for list := bufio.NewReader(r); ; {
		item, err := list.ReadString(0)
		item = strings.TrimPrefix(strings.TrimSuffix(item, "\x00"), "\n")
		if commit, begins := strings.CutPrefix(item, commitMark); begins {
			seconds, parents, _ := strings.Cut(commit, " ")
			n, err := strconv.ParseInt(seconds, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read the history of git: %q is not a time", seconds)
			}
			if at = time.Unix(n, 0).UTC(); cut && strings.TrimSpace(parents) == "" {
				at = time.Time{}
			}
		} else if _, known := changed[item]; item != "" && !known && !at.IsZero() {
			changed[item] = at
		}
		if errors.Is(err, io.EOF) {
			return changed, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the history of git: %w", err)
		}
	}
}

// dates returns what says when a file was last changed; nil when the configuration
// does not ask for it. Dates that are not known are a finding.
func (b *Run) dates(ctx context.Context) func(p *pack.Pack, name string) time.Time {
	if !b.ws.Config.Site.Dates {
		return nil
	}
	changed, err := b.lastChanged(ctx)
	message, hint := "", "build in a clone with its whole history (fetch-depth: 0), or leave site.dates out of "+repo.ConfigName
	switch {
	case err != nil:
		message = "the dates of pages are not known: " + err.Error()
		hint = cmp.Or(diag.HintOf(err), "leave site.dates out of "+repo.ConfigName+", or build where git can read the history")
	case len(changed) == 0:
		message = "the dates of pages are not known: the history of git has none of their files, or was cut before them"
	}
	if message != "" {
		name, _ := b.ws.ConfigFile()
		b.raise([]diag.Diagnostic{{
			ID: idDatesUnknown, Severity: diag.Warning, Path: b.ws.Paths.Rel(b.ws.Paths.Abs(name)), Message: message,
			Hint: hint,
		}})
	}
	return func(p *pack.Pack, name string) time.Time { return changed[b.inRepository(p, name)] }
}

// inRepository returns the path of a file of a pack from the root of the repository.
func (b *Run) inRepository(p *pack.Pack, name string) string {
	dir, below := p.Locate(name)
	return b.ws.Paths.Rel(filepath.Join(dir, filepath.FromSlash(below)))
}
