package compiler

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// leastListed is how many bytes the lists of a record must take, about, before they
// are kept in a file of their own. A smaller record holds everything: it reads better,
// and costs little.
const leastListed = 64 << 10

// driftParts is how large a part of its list a record may differ in before a new list
// is written: one of that many. More parts make smaller records, and more lists. A few
// entries, those of some edits, are never too many.
const (
	driftParts = 32
	leastDrift = 32
)

func near(list, now *schema.RunSums) bool {
	differ, all := list.Apart(now)
	return differ <= max(all/driftParts, leastDrift)
}

// writeRun writes the record of a run and its ledger: whole, or as what differs from a list
// that exists already or is written with them. In a dry run it says which files it would
// write.
func (g *judged) writeRun(r *Result) error {
	short, err := g.shorten(r)
	if err != nil || g.out.tx == nil {
		return err
	}
	record, ledger, err := short.Files()
	if err != nil {
		return err
	}
	// A ledger without a record says nothing, a record without its ledger is damaged.
	if _, err := g.out.tx.ReplaceLastFrom(schema.RunLedgerPath(r.RunPath), func(to io.Writer) error { return schema.Write(to, ledger) }); err != nil {
		return err
	}
	_, err = g.out.tx.ReplaceLastFrom(r.RunPath, func(to io.Writer) error { return schema.Write(to, record) })
	return err
}

// shorten returns the record as it is written.
func (g *judged) shorten(r *Result) (*schema.Run, error) {
	if g.opt.RecordUnchanged {
		return &r.Run, nil
	}
	list := schema.ListOf(&r.Run)
	sums, size := list.Sums()
	if size < cmp.Or(g.opt.leastListed, leastListed) {
		return &r.Run, nil
	}
	if known := g.listSums(g.history.list); known != nil && near(known, &sums) {
		r.Run.List = g.history.list
		return r.Run.Against(g.history.list, known, &sums), nil
	}
	hash := sha256.New()
	if err := schema.Write(hash, list); err != nil {
		return nil, err
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	name := schema.RunListPath(sum)
	content := func(to io.Writer) error { return schema.Write(to, list) }
	op, _, err := g.out.old.Change(name, content)
	if err != nil {
		return nil, err
	}
	if op != publish.Unchanged || g.out.old.Layered {
		if g.out.tx != nil {
			if _, err := g.out.tx.ReplaceLastFrom(name, content); err != nil {
				return nil, err
			}
		}
		r.ListPath = name
		g.out.is(name, store.ParseDigest(sum))
	}
	g.keepListSums(sum, &sums)
	r.Run.List = sum
	return r.Run.Against(sum, &sums, &sums), nil
}

// listKey is the key of the sums of a list.
func listKey(sum string) store.Digest { return store.Key("run list", Version, Program(), sum) }

// keepListSums keeps the sums of a list, so that it need not be read to be compared.
func (g *judged) keepListSums(sum string, s *schema.RunSums) {
	w := store.NewWriter(1 << 10)
	for _, list := range s.Lists() {
		w.Uint(len(*list))
		for i := range *list {
			w.Str(string((*list)[i][:]))
		}
	}
	store.Keep(g.cache.store, listKey(sum), w)
}

// listSums returns the sums of a list that is in the pack as its name says; nil when
// there is none, or it holds another text.
func (g *judged) listSums(sum string) *schema.RunSums {
	if sum == "" {
		return nil
	}
	name := schema.RunListPath(sum)
	at, listed := g.pack.Stat(name)
	if !g.out.old.Layered && listed && g.cache.sum(at).String() == sum {
		if s := g.recallListSums(sum); s != nil {
			return s
		}
	}
	data, err := g.out.old.Read(name)
	if err != nil || !schema.HasSum(data, sum) {
		return nil
	}
	list, err := schema.DecodeRunList(data)
	if err != nil {
		return nil
	}
	s, _ := list.Sums()
	g.keepListSums(sum, &s)
	return &s
}

func (g *judged) recallListSums(sum string) *schema.RunSums {
	s := &schema.RunSums{}
	if !store.Recall(g.cache.store, listKey(sum), func(x *store.Reader) {
		for _, list := range s.Lists() {
			*list = make([]schema.EntrySum, x.CountOf(1+len(schema.EntrySum{})))
			for i := range *list {
				if copy((*list)[i][:], x.Str()) != len(schema.EntrySum{}) {
					x.Fail()
				}
			}
		}
	}) {
		return nil
	}
	return s
}
