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
// is written: one of so many. More parts make smaller records, and more lists. A few
// entries, those of some edits, are never too many.
const (
	driftParts = 32
	leastDrift = 32
)

func near(list, now *schema.RunSums) bool {
	differ, all := list.Apart(now)
	return differ <= max(all/driftParts, leastDrift)
}

// writeRun writes the record of a run: whole, or as what differs from a list that is
// there already or is written with it. In a dry run it says which files it would write.
func (c *compilation) writeRun(r *Result) error {
	short, err := c.shorten(r)
	if err != nil || c.out.tx == nil {
		return err
	}
	_, err = c.out.tx.ReplaceLastFrom(r.RunPath, func(to io.Writer) error { return schema.Write(to, short) })
	return err
}

// shorten returns the record as it is written.
func (c *compilation) shorten(r *Result) (*schema.Run, error) {
	if c.opt.RecordUnchanged {
		return &r.Run, nil
	}
	list := schema.ListOf(&r.Run)
	sums, size := list.Sums()
	if size < cmp.Or(c.opt.leastListed, leastListed) {
		return &r.Run, nil
	}
	if known := c.listSums(c.history.list); known != nil && near(known, &sums) {
		r.Run.List = c.history.list
		return r.Run.Against(c.history.list, known, &sums), nil
	}
	hash := sha256.New()
	if err := schema.Write(hash, list); err != nil {
		return nil, err
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	name := schema.RunListPath(sum)
	content := func(to io.Writer) error { return schema.Write(to, list) }
	op, err := c.out.old.Change(name, content)
	if err != nil {
		return nil, err
	}
	if op != publish.Unchanged || c.out.old.Layered {
		if c.out.tx != nil {
			if _, err := c.out.tx.ReplaceLastFrom(name, content); err != nil {
				return nil, err
			}
		}
		r.ListPath = name
		c.out.is(name, store.ParseDigest(sum))
	}
	c.keepListSums(sum, &sums)
	r.Run.List = sum
	return r.Run.Against(sum, &sums, &sums), nil
}

// listKey is the key of the sums of a list.
func listKey(sum string) store.Digest { return store.Key("run list", Version, Program(), sum) }

// keepListSums keeps the sums of a list, so that it need not be read to be compared.
func (c *compilation) keepListSums(sum string, s *schema.RunSums) {
	w := store.NewWriter(1 << 10)
	for _, list := range s.Lists() {
		w.Uint(len(*list))
		for i := range *list {
			w.Str(string((*list)[i][:]))
		}
	}
	c.memory.store.SetAction(listKey(sum), store.Result{c.memory.store.SetBlob(w.Bytes())})
}

// listSums returns the sums of a list that is in the pack as its name says; nil when
// there is none, or another text is there.
func (c *compilation) listSums(sum string) *schema.RunSums {
	if sum == "" {
		return nil
	}
	name := schema.RunListPath(sum)
	at, listed := c.pack.Stat(name)
	if !c.out.old.Layered && listed && c.memory.sum(at).String() == sum {
		if s := c.recallListSums(sum); s != nil {
			return s
		}
	}
	data, err := c.out.old.Read(name)
	if err != nil || hexSum(data) != sum {
		return nil
	}
	list, err := schema.DecodeRunList(data)
	if err != nil {
		return nil
	}
	s, _ := list.Sums()
	c.keepListSums(sum, &s)
	return &s
}

func (c *compilation) recallListSums(sum string) *schema.RunSums {
	found, ok := c.memory.store.Action(listKey(sum))
	if !ok || len(found) != 1 {
		return nil
	}
	data, ok := c.memory.store.Blob(found[0])
	if !ok {
		return nil
	}
	x, s := store.NewReader(string(data)), &schema.RunSums{}
	for _, list := range s.Lists() {
		*list = make([]schema.EntrySum, x.CountOf(1+len(schema.EntrySum{})))
		for i := range *list {
			if copy((*list)[i][:], x.Str()) != len(schema.EntrySum{}) {
				return nil
			}
		}
	}
	if !x.Done() {
		return nil
	}
	return s
}
