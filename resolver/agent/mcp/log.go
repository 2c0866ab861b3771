package mcp

import (
	"context"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

// logWait is how long another writer of the usage log is waited for: an answer does not
// wait longer.
const logWait = 100 * time.Millisecond

// note writes what a tool handed out into the usage log, under the id that the built
// index has for it. What cannot be noted is left out: the answer matters more.
func (s *service) note(ctx context.Context, v *visit, tool string, handed []handedOut) {
	if s.log == "" || len(handed) == 0 {
		return
	}
	paths := make([]string, len(handed)) // in the index
	for i, h := range handed {
		paths[i] = published + h.at.pack + "/" + h.at.path
	}
	ids := map[string]string{}
	_ = v.readLocked(s.ws) // without it the entries have ids by their texts
	if m, err := v.entries(s.ws, loadout.Need{Paths: paths}); err == nil {
		for _, e := range m.Index().Entries {
			if name, ok := strings.CutPrefix(e.Path, repo.LockedLink("")+"/"); ok {
				e.Path = published + name
			}
			ids[e.Path] = e.ID
		}
	}
	ctx, cancel := context.WithTimeout(ctx, logWait)
	defer cancel()
	for i, h := range handed {
		id := ids[paths[i]]
		if id == "" {
			id = h.at.id()
		}
		if usage.Record(ctx, s.log, usage.Load{ID: id, Trigger: "mcp:" + tool, Mode: "lazy", Tokens: h.tokens}, time.Now()) != nil {
			return
		}
	}
}

// handedOut is a text that a client was given.
type handedOut struct {
	at     address
	tokens int
}

// noteText is note for one text.
func (s *service) noteText(ctx context.Context, v *visit, tool, id, text string) {
	if at, err := parseAddress(id); err == nil {
		s.note(ctx, v, tool, []handedOut{{at, token.Estimate(text)}})
	}
}
