package archive

// Zip archives are read here and not with archive/zip, which is made to read what it
// can. It takes an entry whose own header has another name or size than the directory,
// bytes that belong to nothing, and archives of several parts: each is a way to show one
// program other files than the next. It also keeps every header of the directory before
// a caller can count them, and does not say where the header of an entry is.

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// unpackZip unpacks a zip archive of that many bytes. Every entry is looked at
// before the first one is unpacked. What the central directory says, the local
// headers and the data must say too, and every byte must belong to an entry.
func unpackZip(in *input, size int64, s *sink) error {
	entries, directory, err := readZipDirectory(in, size, s.limits)
	if err != nil {
		return err
	}
	left := s.left
	for i := range entries {
		e := &entries[i]
		if err := checkZipEntry(e, s); err != nil {
			return about(err, e.name)
		}
		if left -= e.size; left < 0 {
			return s.tooLarge(e.name, s.left)
		}
	}
	z := &zipReader{in: in, sink: s, packed: bufio.NewReaderSize(nil, readAhead), sum: crc32.NewIEEE()}
	for i := range entries {
		next := directory
		if i+1 < len(entries) {
			next = entries[i+1].at
		}
		if err := z.unpack(&entries[i], next); err != nil {
			return about(err, entries[i].name)
		}
	}
	if z.at != directory {
		return refuse(RuleTrailing, "", hintAgain, "there are bytes between the entries and the directory of the archive")
	}
	return nil
}

// checkZipEntry checks what the directory says of an entry and takes its path.
func checkZipEntry(e *zipEntry, s *sink) error {
	const (
		maskType = 0xf000 // kinds of files in a Unix mode
		isFolder = 0x4000
		isFile   = 0x8000
		isLink   = 0xa000
	)
	const hintPlain = "leave it out: an archive may hold files and folders alone"
	kind := e.mode & maskType
	switch {
	case e.flags&(zipEncrypted|zipStrong|zipMasked) != 0:
		return refuse(RuleUnknown, "", "make the archive without a password", "the entry is encrypted")
	case e.flags&zipPatched != 0 || e.method != zipStored && e.method != zipDeflated:
		return refuse(RuleUnknown, "", "make the archive with the method deflate", "the entry is compressed with method %d, which is not read", e.method)
	case kind == isLink:
		return refuse(RuleLink, "", "put the file itself in its place", "the entry is a symbolic link")
	case kind != 0 && kind != isFile && kind != isFolder:
		return refuse(RuleSpecial, "", hintPlain, "the entry is a device, a pipe or a socket")
	case kind == isFolder && !e.isFolder(), kind == isFile && e.isFolder():
		return refuse(RuleCorrupt, "", hintAttack, "the entry is a file by its name and a folder by its mode, or the other way round")
	case e.isFolder() && e.size != 0:
		return refuse(RuleCorrupt, "", hintAttack, "the folder has a size")
	}
	name, isRoot := entryPath(e.name, e.isFolder())
	if isRoot {
		return nil
	}
	if err := s.take(name, e.isFolder()); err != nil || e.isFolder() {
		return err
	}
	return s.allow(name, e.size)
}

// zipReader unpacks the entries of an archive, one after another.
type zipReader struct {
	in     *input
	sink   *sink
	at     int64 // offset after what has been read
	packed *bufio.Reader
	unzip  io.ReadCloser // deflate
	sum    hash.Hash32
}

// unpack unpacks an entry; next is the offset of what follows it.
func (z *zipReader) unpack(e *zipEntry, next int64) error {
	if z.at != e.at {
		return refuse(RuleTrailing, "", hintAgain, "there are bytes before the entry that belong to nothing")
	}
	start, declared, err := z.readLocal(e)
	if err != nil {
		return err
	}
	if next-start < e.packed {
		return refuse(RuleCorrupt, "", hintAttack, "the entry overlaps with what follows it in the archive")
	}
	z.packed.Reset(io.TeeReader(io.NewSectionReader(z.in, start, e.packed), z.in))
	content := &zipContent{z: z, entry: e, r: z.packed}
	z.sum.Reset()
	if e.method == zipDeflated {
		if z.unzip == nil {
			z.unzip = flate.NewReader(z.packed)
		} else if err := z.unzip.(flate.Resetter).Reset(z.packed, nil); err != nil {
			return err
		}
		content.r = z.unzip
	}
	if e.isFolder() {
		_, err = io.Copy(io.Discard, content)
	} else {
		name, _ := entryPath(e.name, false)
		err = z.sink.write(name, content)
	}
	if err != nil {
		return err
	}
	z.at = start + e.packed
	return z.readDescriptor(e, next, declared)
}

// readLocal compares the local header with the directory. It returns where the data
// starts, and whether the header gives the sizes (otherwise they come after the data).
func (z *zipReader) readLocal(e *zipEntry) (start int64, declared bool, err error) {
	head := make([]byte, zipLocalSize+len(e.name))
	if _, err := z.in.ReadAt(head, e.at); err != nil {
		return 0, false, err
	}
	u := binary.LittleEndian
	extra := make([]byte, u.Uint16(head[28:]))
	if _, err := z.in.ReadAt(extra, e.at+int64(len(head))); err != nil && len(extra) > 0 {
		return 0, false, err
	}
	const flags = zipEncrypted | zipDescriptor | zipPatched | zipStrong | zipMasked
	switch {
	case u.Uint32(head) != zipLocalMark:
		return 0, false, refuse(RuleCorrupt, "", hintAgain, "the entry has no header of its own")
	case int(u.Uint16(head[26:])) != len(e.name) || string(head[zipLocalSize:]) != e.name:
		return 0, false, refuse(RuleCorrupt, "", hintAttack, "the entry's own header has another name than the directory")
	case (u.Uint16(head[6:])^e.flags)&flags != 0 || u.Uint16(head[8:]) != e.method:
		return 0, false, refuse(RuleCorrupt, "", hintAttack, "the entry's own header differs from the directory")
	}
	sum, packed, size := u.Uint32(head[14:]), int64(u.Uint32(head[18:])), int64(u.Uint32(head[22:]))
	if err := readZipExtra(e, extra, &size, &packed); err != nil {
		return 0, false, err
	}
	declared = sum == e.sum && packed == e.packed && size == e.size
	inDescriptor := e.flags&zipDescriptor != 0 && isZeroOrFull(int64(sum), int64(e.sum)) && isZeroOrFull(packed, e.packed) && isZeroOrFull(size, e.size)
	if !declared && !inDescriptor {
		return 0, false, refuse(RuleCorrupt, "", hintAttack, "the entry's own header gives other sizes or another checksum than the directory")
	}
	return e.at + int64(len(head)+len(extra)), declared, nil
}

// isZeroOrFull reports what a header says of a value that follows later.
func isZeroOrFull(value, later int64) bool {
	return value == 0 || value == zipFull32 || value == later
}

// readDescriptor reads what is between the data and next: nothing, or where the
// flags say so a record of checksum and sizes, with or without a mark, in 32 or 64 bits.
func (z *zipReader) readDescriptor(e *zipEntry, next int64, declared bool) error {
	gap := next - z.at
	if e.flags&zipDescriptor == 0 || gap == 0 && declared {
		return nil // a gap shows at the next entry
	}
	u := binary.LittleEndian
	want := u.AppendUint32(nil, zipDescriptorMark)
	want = u.AppendUint32(want, e.sum)
	if gap == 12 || gap == 16 {
		want = u.AppendUint32(u.AppendUint32(want, uint32(e.packed)), uint32(e.size))
	} else {
		want = u.AppendUint64(u.AppendUint64(want, uint64(e.packed)), uint64(e.size))
	}
	if gap == 12 || gap == 20 {
		want = want[4:] // no mark
	}
	if gap != int64(len(want)) {
		return refuse(RuleTrailing, "", hintAgain, "there are bytes after the entry that belong to nothing")
	}
	record := make([]byte, gap)
	if _, err := z.in.ReadAt(record, z.at); err != nil {
		return err
	}
	if !bytes.Equal(record, want) {
		return refuse(RuleCorrupt, "", hintAttack, "the record after the entry gives other sizes or another checksum than the directory")
	}
	z.at = next
	return nil
}

// zipContent reads the bytes of an entry and refuses it when they are not what the
// directory says: it never gives more than the size stated there, and its end only
// when all is right.
type zipContent struct {
	z     *zipReader
	entry *zipEntry
	r     io.Reader
	n     int64 // bytes read
}

func (c *zipContent) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.n > c.entry.size {
		return 0, refuse(RuleCorrupt, "", hintAttack, "the entry unpacks to more than the %d bytes that the directory gives", c.entry.size)
	}
	c.z.sum.Write(p[:n]) // a hash never fails
	if errors.Is(err, io.EOF) {
		if err := c.check(); err != nil {
			return n, err
		}
	}
	return n, err
}

func (c *zipContent) check() error {
	if _, err := c.z.packed.ReadByte(); err == nil {
		return refuse(RuleTrailing, "", hintAgain, "there are bytes after the compressed data of the entry")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	if c.n != c.entry.size {
		return refuse(RuleCorrupt, "", hintAttack, "the entry unpacks to %d bytes, not to the %d that the directory gives", c.n, c.entry.size)
	}
	if c.z.sum.Sum32() != c.entry.sum {
		return refuse(RuleCorrupt, "", hintAgain, "the checksum of the entry is wrong")
	}
	return nil
}
