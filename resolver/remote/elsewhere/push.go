package elsewhere

import (
	"context"
	"errors"
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/registry"
	"github.com/packgen/packgen/resolver/repo"
)

// Target is the place in a registry that packs are pushed to.
type Target struct {
	w    *repo.Repo
	ref  remote.Ref
	tags []string
}

// TargetOf reads the reference that is written to, oci://HOST/NAME[:TAG], and more tags.
func TargetOf(w *repo.Repo, text string, tags []string) (*Target, error) {
	const form = "write oci://HOST/NAME:TAG"
	ref, err := remote.ParseRef(text)
	switch {
	case err != nil:
		return nil, explainElsewhere(err)
	case ref.Kind != remote.OCI:
		return nil, diag.WithHint(fmt.Errorf("%s is not a registry", diag.Printable(text)), "%s; a site is published by packgen build", form)
	case ref.Registry.Digest != "":
		return nil, diag.WithHint(errors.New("a digest cannot be chosen: it follows from the pack"), form)
	case ref.Pack != "":
		return nil, diag.WithHint(errors.New("the pack is named after the reference, not with #"), "%s and the name of the pack after it", form)
	}
	for _, tag := range tags {
		again, err := remote.ParseRef("oci://" + ref.Registry.Host + "/" + ref.Registry.Name + ":" + tag)
		if err != nil || again.Registry.Tag != tag || again.Pack != "" || again.Registry.Digest != "" {
			return nil, diag.WithHint(fmt.Errorf("--tag: %q is not a tag", diag.Printable(tag)), "write at most 128 letters, digits, dots, hyphens and underscores")
		}
	}
	return &Target{w, ref, append([]string{ref.Registry.Tag}, tags...)}, nil
}

// Push writes packs, and a catalog of them where it is asked for.
func (t *Target) Push(ctx context.Context, packs []registry.Pack, catalog, dryRun bool) ([]registry.Pushed, error) {
	fetching := fetchOptions(t.w)
	if dir, err := repo.CacheDir(t.w.Getenv); err == nil { // without it, everything is sent
		fetching.Uploads = remote.NewCache(dir).Uploads()
	}
	return registry.Push(ctx, fetch.New(fetching), t.ref.Registry, packs, registry.Options{Tags: t.tags, Catalog: catalog, DryRun: dryRun})
}
