package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
)

// declaredRouting sums up what the front matter of a page says of when its splits load;
// "" when it says nothing. What the words do is not known here: a run records that they
// changed.
func declaredRouting(doc *markdown.Document) string {
	m := frontmatter.NewMap(doc.Path, doc.Meta, &[]diag.Diagnostic{})
	sum := sha256.New()
	said := false
	for _, key := range [...]string{"keywords", "patterns", "priority", "triggers", "summary", "questions"} {
		if v := m.Value(key); v != nil {
			said = true
			_, _ = io.WriteString(sum, key+"\x00")
			sumNode(sum, v)
		}
	}
	if !said {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// routings returns the sums of what is declared for splits: in metadata.loadout by their
// ids, and in the front matter of their pages.
func (j *joined) routings() func(id, document string) string {
	metadata := frontmatter.NewMap(entryFile, j.pack.Meta.Metadata, &[]diag.Diagnostic{})
	loadout := metadata.Map("loadout")
	return func(id, document string) string {
		page := ""
		if f := j.byPath[document]; f != nil {
			page = f.routing
		}
		own := loadout.Value(id)
		if own == nil {
			return page
		}
		sum := sha256.New()
		_, _ = io.WriteString(sum, page+"\x00")
		sumNode(sum, own)
		return hex.EncodeToString(sum.Sum(nil))
	}
}

// sumNode adds a value as it is meant: not its place, its style or its comments.
func sumNode(sum hash.Hash, n *yaml.Node) {
	_, _ = io.WriteString(sum, n.ShortTag()+"\x00"+n.Value+"\x00")
	for _, part := range n.Content {
		sumNode(sum, part)
	}
	_, _ = io.WriteString(sum, "\x01")
}
