package archive_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io/fs"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
)

// The builder of lies can tell the truth, so that what the tests below refuse is
// the lie.
func TestHonestZipsAreTaken(t *testing.T) {
	u := binary.LittleEndian
	stored := honest("s", "plain")
	stored.data = []byte("plain")
	stored.local.method, stored.local.packed = zip.Store, 5
	stored.central = stored.local
	want := map[string]string{"a": "hello", "s": "plain", "e": ""}
	taken(t, rawZip(honest("a", "hello"), stored, honest("e", "")), "zip", want)

	// Written to a pipe: checksum and sizes after the data, in each of four forms.
	for _, form := range []struct{ mark, wide bool }{{}, {mark: true}, {wide: true}, {true, true}} {
		e := honest("a", "hello")
		e.local.flags, e.central.flags = 8, 8
		e.local.sum, e.local.packed, e.local.size = 0, 0, 0
		if form.mark {
			e.data = append(e.data, "PK\x07\x08"...)
		}
		e.data = u.AppendUint32(e.data, e.central.sum)
		for _, n := range []uint32{e.central.packed, e.central.size} {
			e.data = u.AppendUint32(e.data, n)
			if form.wide {
				e.data = append(e.data, 0, 0, 0, 0)
			}
		}
		taken(t, rawZip(e, honest("b", "x")), "zip", map[string]string{"a": "hello", "b": "x"})
	}

	// The flag without a record after the data, as some programs do for folders.
	e := honest("d/", "")
	e.local.flags, e.central.flags, e.mode = 8, 8, 0
	taken(t, rawZip(e, honest("d/a", "x")), "zip", map[string]string{"d/a": "x"})

	taken(t, wide(honest("a", "hello")), "zip", map[string]string{"a": "hello"})
	named := honest("ä", "x")
	named.central.extra = append([]byte("\x75\x70\x07\x00\x01\x00\x00\x00\x00"), "ä"...)
	taken(t, rawZip(named), "zip", map[string]string{"ä": "x"})
}

// wide writes an archive with zip64 records throughout.
func wide(e *zipLie) []byte {
	u := binary.LittleEndian
	extra := func(values ...uint32) []byte {
		b := u.AppendUint16([]byte{1, 0}, uint16(8*len(values)))
		for _, v := range values {
			b = u.AppendUint64(b, uint64(v))
		}
		return b
	}
	e.local.extra = extra(e.local.size, e.local.packed)
	e.local.size, e.local.packed = 0xffffffff, 0xffffffff
	b := lay(e)
	e.central.extra = extra(e.central.size, e.central.packed, e.at)
	e.central.size, e.central.packed, e.at = 0xffffffff, 0xffffffff, 0xffffffff
	whole := direct(b, e)
	directory := whole[len(b) : len(whole)-22]
	return append(append(b, directory...), end64(len(directory), len(b))...)
}

// end64 is the end of an archive of one entry, with zip64 records.
func end64(size, at int) []byte {
	u := binary.LittleEndian
	b := u.AppendUint64([]byte("PK\x06\x06"), 44)
	b = append(b, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, n := range []int{1, 1, size, at} {
		b = u.AppendUint64(b, uint64(n))
	}
	b = u.AppendUint64(append(b, "PK\x06\x07\x00\x00\x00\x00"...), uint64(at+size))
	b = append(b, 1, 0, 0, 0)
	return endZip(b, 0xffff, 0xffffffff, 0xffffffff)
}

func TestZipHeadersThatLie(t *testing.T) {
	hello := strings.Repeat("hello ", 100)
	for what, c := range map[string]struct {
		rule  string
		spoil func(e *zipLie)
	}{
		"another name in the entry":        {archive.RuleCorrupt, func(e *zipLie) { e.local.name = "b" }},
		"name that escapes in the entry":   {archive.RuleCorrupt, func(e *zipLie) { e.local.name = "../a" }},
		"second name":                      {archive.RulePath, func(e *zipLie) { e.central.extra = []byte("\x75\x70\x06\x00\x01\x00\x00\x00\x00b") }},
		"second name in the entry":         {archive.RulePath, func(e *zipLie) { e.local.extra = []byte("\x75\x70\x06\x00\x01\x00\x00\x00\x00b") }},
		"another size in the entry":        {archive.RuleCorrupt, func(e *zipLie) { e.local.size++ }},
		"another packed size in the entry": {archive.RuleCorrupt, func(e *zipLie) { e.local.packed-- }},
		"another checksum in the entry":    {archive.RuleCorrupt, func(e *zipLie) { e.local.sum++ }},
		"another method in the entry":      {archive.RuleCorrupt, func(e *zipLie) { e.local.method = 0 }},
		"other flags in the entry":         {archive.RuleCorrupt, func(e *zipLie) { e.local.flags = 8 }},
		"no sizes in the entry":            {archive.RuleCorrupt, func(e *zipLie) { e.local.size, e.local.packed = 0, 0 }},
		"wrong checksum in both":           {archive.RuleCorrupt, func(e *zipLie) { e.local.sum++; e.central.sum++ }},
		"smaller than it is":               {archive.RuleCorrupt, func(e *zipLie) { e.local.size--; e.central.size-- }},
		"one byte that is many":            {archive.RuleCorrupt, func(e *zipLie) { e.local.size, e.central.size = 1, 1 }},
		"empty that is not":                {archive.RuleCorrupt, func(e *zipLie) { e.local.size, e.central.size = 0, 0 }},
		"larger than it is":                {archive.RuleCorrupt, func(e *zipLie) { e.local.size++; e.central.size++ }},
		"much larger than it is":           {archive.RuleTooLarge, func(e *zipLie) { e.local.size = 1 << 31; e.central.size = 1 << 31 }},
		"packed smaller than it is":        {archive.RuleTruncated, func(e *zipLie) { e.local.packed -= 2; e.central.packed -= 2 }},
		"packed larger than it is":         {archive.RuleCorrupt, func(e *zipLie) { e.local.packed += 2; e.central.packed += 2 }},
		"packed data with more after it":   {archive.RuleTrailing, func(e *zipLie) { e.data = append(e.data, 0, 0); e.local.packed += 2; e.central.packed += 2 }},
		"more after the data":              {archive.RuleTrailing, func(e *zipLie) { e.data = append(e.data, 0, 0) }},
		"damaged data":                     {archive.RuleCorrupt, func(e *zipLie) { e.data[0] = 0xff }},
		"stored with a packed size":        {archive.RuleCorrupt, func(e *zipLie) { e.local.method, e.central.method = 0, 0 }},
		"descriptor missing":               {archive.RuleTrailing, func(e *zipLie) { movedAfter(e); e.data = e.data[:len(e.data)-16] }},
		"descriptor with another size":     {archive.RuleCorrupt, func(e *zipLie) { movedAfter(e); e.data[len(e.data)-1] = 1 }},
		"descriptor with another sum":      {archive.RuleCorrupt, func(e *zipLie) { movedAfter(e); e.data[len(e.data)-12] ^= 1 }},
		"descriptor after other sizes":     {archive.RuleCorrupt, func(e *zipLie) { movedAfter(e); e.local.size = 7 }},
		"encrypted":                        {archive.RuleUnknown, func(e *zipLie) { e.local.flags, e.central.flags = 1, 1 }},
		"strongly encrypted":               {archive.RuleUnknown, func(e *zipLie) { e.local.flags, e.central.flags = 1<<6, 1<<6 }},
		"masked headers":                   {archive.RuleUnknown, func(e *zipLie) { e.local.flags, e.central.flags = 1<<13, 1<<13 }},
		"patch":                            {archive.RuleUnknown, func(e *zipLie) { e.local.flags, e.central.flags = 1<<5, 1<<5 }},
		"another method":                   {archive.RuleUnknown, func(e *zipLie) { e.local.method, e.central.method = 14, 14 }},
		"symbolic link":                    {archive.RuleLink, func(e *zipLie) { e.mode = 0o120777 }},
		"pipe":                             {archive.RuleSpecial, func(e *zipLie) { e.mode = 0o010644 }},
		"character device":                 {archive.RuleSpecial, func(e *zipLie) { e.mode = 0o020644 }},
		"block device":                     {archive.RuleSpecial, func(e *zipLie) { e.mode = 0o060644 }},
		"socket":                           {archive.RuleSpecial, func(e *zipLie) { e.mode = 0o140644 }},
		"folder by its mode alone":         {archive.RuleCorrupt, func(e *zipLie) { e.mode = 0o040755 }},
		"folder by its name alone":         {archive.RuleCorrupt, func(e *zipLie) { e.local.name, e.central.name = "a/", "a/" }},
		"folder with data":                 {archive.RuleCorrupt, func(e *zipLie) { e.local.name, e.central.name, e.mode = "a/", "a/", 0 }},
		"folder with hidden data": {archive.RuleCorrupt, func(e *zipLie) {
			e.local.name, e.central.name, e.mode, e.local.size, e.central.size = "a/", "a/", 0, 0, 0
		}},
		"two zip64 records": {archive.RuleCorrupt, func(e *zipLie) { e.central.extra = []byte("\x01\x00\x00\x00\x01\x00\x00\x00") }},
		"zip64 size of more than 63 bits": {archive.RuleCorrupt, func(e *zipLie) {
			e.central.size = 0xffffffff
			e.central.extra = []byte("\x01\x00\x08\x00\xff\xff\xff\xff\xff\xff\xff\xff")
		}},
		"zip64 packed size of almost 63 bits": {archive.RuleCorrupt, func(e *zipLie) {
			e.central.packed = 0xffffffff
			e.central.extra = []byte("\x01\x00\x08\x00\xff\xff\xff\xff\xff\xff\xff\x7f")
		}},
	} {
		t.Run(what, func(t *testing.T) {
			e := honest("a", hello)
			c.spoil(e)
			refused(t, rawZip(honest("1", "x"), e, honest("z", "x")), archive.Limits{}, c.rule)
		})
	}
}

// movedAfter moves checksum and sizes after the data.
func movedAfter(e *zipLie) {
	u := binary.LittleEndian
	e.local.flags, e.central.flags = 8, 8
	e.local.sum, e.local.packed, e.local.size = 0, 0, 0
	e.data = u.AppendUint32(append(e.data, "PK\x07\x08"...), e.central.sum)
	e.data = u.AppendUint32(u.AppendUint32(e.data, e.central.packed), e.central.size)
}

func TestZipDirectoriesThatLie(t *testing.T) {
	a, b := honest("a", "hello"), honest("b", "world")
	data := rawZip(a, b)
	end := len(data) - 22
	spoil := func(at int, change ...byte) []byte {
		out := bytes.Clone(data)
		copy(out[at:], change)
		return out
	}
	laid := lay(a, b)
	for what, c := range map[string]struct {
		rule string
		data []byte
	}{
		"no end record":                  {archive.RuleTruncated, data[:end]},
		"comment cut short":              {archive.RuleTruncated, spoil(end+20, 9)},
		"comment that is not announced":  {archive.RuleTrailing, append(bytes.Clone(data), "comment"...)},
		"end record inside the comment":  {archive.RuleCorrupt, append(spoil(end+20, 22), endZip(nil, 0, 0, 0)...)},
		"one entry less than there are":  {archive.RuleCorrupt, spoil(end+8, 1, 0, 1, 0)},
		"one entry more than there are":  {archive.RuleCorrupt, spoil(end+8, 3, 0, 3, 0)},
		"counts that differ":             {archive.RuleCorrupt, spoil(end+8, 1, 0)},
		"second of two parts":            {archive.RuleCorrupt, spoil(end+4, 1, 0)},
		"directory elsewhere":            {archive.RuleCorrupt, spoil(end+16, 0, 0, 0, 0)},
		"directory after the end":        {archive.RuleCorrupt, spoil(end+16, 0, 0, 0, 0x7f)},
		"directory of 4 GiB":             {archive.RuleCorrupt, spoil(end+12, 0xfe, 0xff, 0xff, 0xff)},
		"zip64 announced but not there":  {archive.RuleCorrupt, spoil(end+16, 0xff, 0xff, 0xff, 0xff)},
		"entry in another part":          {archive.RuleUnknown, spoil(len(laid)+34, 1)},
		"damaged directory":              {archive.RuleCorrupt, spoil(len(laid), 'X')},
		"name longer than the directory": {archive.RuleTruncated, spoil(len(laid)+28, 0xff, 0x0f)},
		"bytes before the first entry":   {archive.RuleTrailing, moved(append([]byte("PK\x03\x04 and more"), laid...), 12, a, b)},
		"bytes before the directory":     {archive.RuleTrailing, direct(append(bytes.Clone(laid), "more"...), a, b)},
		"program before the archive":     {archive.RuleUnknown, moved(append([]byte("#!/bin/sh\n"), laid...), 10, a, b)},
		"entry that is not listed":       {archive.RuleTrailing, unlisted()},
		"entry after the directory":      {archive.RuleCorrupt, moved(bytes.Clone(laid), 1<<20, a, b)},
	} {
		t.Run(what, func(t *testing.T) {
			refused(t, c.data, archive.Limits{}, c.rule)
		})
	}
}

// unlisted is an archive with an entry that its directory leaves out.
func unlisted() []byte {
	a, b := honest("a", "hello"), honest("b", "world")
	return direct(lay(a, honest("x", "hidden"), b), a, b)
}

// moved is a directory that gives all entries that much further back.
func moved(b []byte, by uint32, entries ...*zipLie) []byte {
	var list []*zipLie
	for _, e := range entries {
		shifted := *e
		shifted.at += by
		list = append(list, &shifted)
	}
	return direct(b, list...)
}

func TestZip64DirectoriesThatLie(t *testing.T) {
	good := wide(honest("a", "hello"))
	record := len(good) - 22 - 20 - 56
	for what, c := range map[string]struct {
		at     int
		change string
	}{
		"locator elsewhere":         {record + 56 + 8, "\x00"},
		"locator after the end":     {record + 56 + 8, "\xff\xff\xff\xff\xff\xff\xff\xff"},
		"three parts":               {record + 56 + 16, "\x03"},
		"record of another size":    {record + 4, "\x2d"},
		"record in another part":    {record + 16, "\x01"},
		"counts that differ":        {record + 24, "\x02"},
		"directory elsewhere":       {record + 48, "\x00"},
		"directory of another size": {record + 40, "\x01"},
		"directory of 2^64 bytes":   {record + 40, "\xff\xff\xff\xff\xff\xff\xff\xff"},
		"end record that differs":   {record + 56 + 20 + 16, "\x00\x00\x00\x00"},
	} {
		t.Run(what, func(t *testing.T) {
			data := bytes.Clone(good)
			copy(data[c.at:], c.change)
			refused(t, data, archive.Limits{}, archive.RuleCorrupt)
		})
	}
}

// Many names for the same data make a small archive unpack to a large tree.
func TestZipEntriesThatOverlapAreRefused(t *testing.T) {
	body := strings.Repeat("\x00", 1<<16)
	first := honest("a", body)
	same := []*zipLie{first}
	data := lay(first)
	for _, c := range "bcdefghijk" {
		e := honest(string(c), body)
		e.at = first.at
		same = append(same, e)
	}
	refused(t, direct(data, same...), archive.Limits{}, archive.RuleCorrupt)

	// Each header quoted by the entry before it, as stored bytes of a deflate stream.
	inner := honest("b", body)
	quoted := lay(inner)
	outer := honest("a", "")
	outer.data = append([]byte{0, 30, 0, 225, 255}, quoted[:30]...)
	outer.data = append(outer.data, quoted[30:]...)
	outer.local.packed, outer.central.packed = uint32(len(outer.data)), uint32(len(outer.data))
	data = lay(outer)
	inner.at = uint32(len(data) - len(quoted))
	refused(t, direct(data, outer, inner), archive.Limits{}, archive.RuleCorrupt)

	// By one byte only.
	x, y := honest("x", "hello"), honest("y", "world")
	data = lay(x, y)
	y.at--
	refused(t, direct(data, x, y), archive.Limits{}, archive.RuleCorrupt)
}

func TestAZipWithASymbolicLinkFromAProgram(t *testing.T) {
	refused(t, zipOf(t, item{name: "l", body: "/etc/passwd", mode: fs.ModeSymlink | 0o777}), archive.Limits{}, archive.RuleLink)
	refused(t, zipOf(t, item{name: "p", mode: fs.ModeNamedPipe | 0o666}), archive.Limits{}, archive.RuleSpecial)
	refused(t, zipOf(t), archive.Limits{}, archive.RuleEmpty)
	refused(t, zipOf(t, item{name: "d/"}), archive.Limits{}, archive.RuleEmpty)
}

func TestAMillionEmptyFilesInAZipAreCountedBeforeTheFirstIsWritten(t *testing.T) {
	one := honest("a", "")
	one.data, one.local.method, one.local.packed = nil, 0, 0
	one.central = one.local
	head := direct(nil, one)
	head = head[:len(head)-22]
	data := append(lay(one), bytes.Repeat(head, 1_000_000)...)
	at := len(data) - 1_000_000*len(head)
	data = append(data, end64(len(data)-at, at)...)
	refused(t, data, archive.Limits{}, archive.RuleTooMany)
}
