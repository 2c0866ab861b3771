package site

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/site/article"
)

// texts are the choices whose boots are published as text: all subjects, and
// each alone. A boot that says a secret is not, and none of a role whose whole
// boot is too large is.
func (p *rolePage) texts() []boot.Choice {
	if len(p.secret) > 0 || len(p.choices) == 0 || p.report.Boot.Cost.Rendered*4 > maxRoleFile {
		return nil
	}
	n := 1
	if len(p.subjects) <= maxPicked {
		n += len(p.subjects)
	}
	return p.choices[:min(n, len(p.choices))]
}

// textName is the file of a choice. The slugs of subjects may hold anything, so
// the files are numbered.
func (p *rolePage) textName(i int) string {
	if i == 0 {
		return "boot.txt"
	}
	return "boot-" + strconv.Itoa(i) + ".txt"
}

// putBoots publishes boots as an agent gets them.
func (p *rolePage) putBoots(ctx context.Context) error {
	for i, c := range p.texts() {
		res, err := p.Role.Role.Boot(ctx, boot.Options{Usecases: c.Usecases, Uncapped: true})
		if err != nil {
			return fmt.Errorf("boot role %s: %w", p.Dir, err)
		}
		var text bytes.Buffer
		if err := res.Render(&text); err != nil {
			return fmt.Errorf("boot role %s: %w", p.Dir, err)
		}
		if err := p.put(p.dir+p.textName(i), text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// llmsRoles lists the roles with the boots that a program can read.
func (b *build) llmsRoles(w *bytes.Buffer) {
	if len(b.roles) == 0 {
		return
	}
	w.WriteString("\n## Roles\n\n")
	for _, p := range b.roles {
		fmt.Fprintf(w, "- [%s](%sindex.html): role, %s\n", linkText(p.Name), b.opts.BaseURL+article.EscapePath(p.dir), amount.Counted(p.report.Boot.Cost.Rendered, "token"))
		for i, c := range p.texts() {
			name := p.choiceName(c)
			if len(c.Usecases) > 0 {
				name = "usecase " + strings.Join(c.Usecases, ", ")
			}
			fmt.Fprintf(w, "- [%s: %s](%s): %s\n", linkText(p.Name), linkText(name), b.opts.BaseURL+article.EscapePath(p.dir)+p.textName(i), amount.Counted(c.Cost.Rendered, "token"))
		}
	}
}
