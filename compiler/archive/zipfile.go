package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"slices"
	"strings"
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

// Sizes and signatures of the records of a zip archive (APPNOTE.TXT, the format's
// specification, section 4.3).
const (
	zipLocalSize   = 30
	zipCentralSize = 46
	zipEndSize     = 22
	zipEnd64Size   = 56
	zipLocatorSize = 20
	zipCommentMax  = 0xffff

	zipLocalMark      = 0x04034b50
	zipCentralMark    = 0x02014b50
	zipEndMark        = 0x06054b50
	zipEnd64Mark      = 0x06064b50
	zipLocatorMark    = 0x07064b50
	zipDescriptorMark = 0x08074b50

	zipFull16 = 0xffff     // "see the zip64 record"
	zipFull32 = 0xffffffff // the same

	zipExtra64   = 0x0001 // sizes and offset of more than 32 bits
	zipExtraName = 0x7075 // another name of the entry, in UTF-8
)

// The general purpose flags that matter, and the compression methods that are read.
const (
	zipEncrypted  = 1 << 0
	zipDescriptor = 1 << 3 // sizes and checksum come after the data
	zipPatched    = 1 << 5
	zipStrong     = 1 << 6
	zipMasked     = 1 << 13

	zipStored   = 0
	zipDeflated = 8
)

// zipEntry is an entry as the central directory describes it.
type zipEntry struct {
	name   string // as written
	flags  uint16
	method uint16
	sum    uint32 // CRC-32
	packed int64  // bytes in the archive
	size   int64  // bytes unpacked
	at     int64  // offset of the local header
	mode   uint32 // Unix mode, 0 when unknown
}

func (e *zipEntry) isFolder() bool { return strings.HasSuffix(e.name, "/") }

// The records at the end of an archive, as encoding/binary reads them.
type (
	zipEnd struct {
		Mark                       uint32
		Disk, Start, Here, Entries uint16
		Size, At                   uint32
		CommentBytes               uint16
	}
	zipEnd64 struct {
		Mark                    uint32
		Bytes                   uint64 // that follow
		Made, Needed            uint16
		Disk, Start             uint32
		Here, Entries, Size, At uint64
	}
	zipLocator struct {
		Mark, Disk uint32
		At         uint64
		Disks      uint32
	}
)

// zipPlace says where the central directory is.
type zipPlace struct{ entries, at, size uint64 }

// readZipDirectory reads the central directory of an archive of that many bytes,
// and returns its entries in the order of their local headers, and the offset where
// the directory starts. There is one way to read the archive: nothing may be
// before the first entry, between the directory and the end record, or after it.
func readZipDirectory(r io.ReaderAt, size int64, l Limits) ([]zipEntry, int64, error) {
	end, err := findZipEnd(r, size)
	if err != nil {
		return nil, 0, err
	}
	directory := bufio.NewReaderSize(io.NewSectionReader(r, int64(end.at), int64(end.size)), readAhead)
	var entries []zipEntry
	for {
		e, err := readZipCentral(directory, l)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		if len(entries) >= l.Files {
			return nil, 0, refuse(RuleTooMany, e.name, hintLimit, "there are more than %d files and folders", l.Files)
		}
		entries = append(entries, e)
	}
	if uint64(len(entries)) != end.entries {
		return nil, 0, refuse(RuleCorrupt, "", hintAgain, "the end record counts %d entries, the directory has %d", end.entries, len(entries))
	}
	slices.SortStableFunc(entries, func(a, b zipEntry) int { return cmp.Compare(a.at, b.at) })
	return entries, int64(end.at), checkZipOverlap(entries, int64(end.at))
}

// checkZipOverlap refuses entries that share bytes: a small archive could unpack the
// same data many times over.
func checkZipOverlap(entries []zipEntry, directory int64) error {
	for i, e := range entries {
		next := directory
		if i+1 < len(entries) {
			next = entries[i+1].at
		}
		room := next - e.at - zipLocalSize - int64(len(e.name))
		if room < e.packed {
			return refuse(RuleCorrupt, e.name, hintAttack, "the entry overlaps with what follows it in the archive")
		}
	}
	return nil
}

// findZipEnd reads the end record, the zip64 one where there is one.
func findZipEnd(r io.ReaderAt, size int64) (zipPlace, error) {
	tail := make([]byte, min(size, zipEndSize+zipCommentMax))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return zipPlace{}, err
	}
	i := bytes.LastIndex(tail, binary.LittleEndian.AppendUint32(nil, zipEndMark))
	var end zipEnd
	if i < 0 || len(tail)-i < zipEndSize {
		return zipPlace{}, refuse(RuleTruncated, "", hintAgain, "the archive has no end record: it was cut short, or other bytes follow it")
	}
	if _, err := binary.Decode(tail[i:], binary.LittleEndian, &end); err != nil {
		return zipPlace{}, err
	}
	switch comment := len(tail) - i - zipEndSize; {
	case int(end.CommentBytes) > comment:
		return zipPlace{}, refuse(RuleTruncated, "", hintAgain, "the comment of the archive is cut short")
	case int(end.CommentBytes) < comment:
		return zipPlace{}, refuse(RuleTrailing, "", hintAgain, "there are bytes after the end of the archive")
	}
	at := size - int64(len(tail)-i)
	isWide := end.Entries == zipFull16 || end.Size == zipFull32 || end.At == zipFull32
	small := zipPlace{uint64(end.Entries), uint64(end.At), uint64(end.Size)}
	if end.Disk == 0 && end.Start == 0 && end.Here == end.Entries && !isWide && small.at+small.size == uint64(at) {
		return small, nil
	}
	large, ok, err := readZipEnd64(r, at)
	if err != nil {
		return zipPlace{}, err
	}
	if ok && (end.Entries == zipFull16 || small.entries == large.entries) &&
		(end.Size == zipFull32 || small.size == large.size) && (end.At == zipFull32 || small.at == large.at) {
		return large, nil
	}
	return zipPlace{}, refuse(RuleCorrupt, "", hintAgain, "the directory of the archive is not where the end record says, or the archive has several parts")
}

// readZipEnd64 reads the zip64 end record before the end record at that offset; ok says that
// there is one which agrees with itself.
func readZipEnd64(r io.ReaderAt, at int64) (place zipPlace, ok bool, err error) {
	limit := uint64(at - zipLocatorSize)
	if at < zipLocatorSize+zipEnd64Size {
		return place, false, nil
	}
	var locator zipLocator
	if err := binary.Read(io.NewSectionReader(r, int64(limit), zipLocatorSize), binary.LittleEndian, &locator); err != nil {
		return place, false, err
	}
	if locator.Mark != zipLocatorMark || locator.Disk != 0 || locator.Disks > 1 || locator.At > limit-zipEnd64Size {
		return place, false, nil
	}
	var end zipEnd64
	err = binary.Read(io.NewSectionReader(r, int64(locator.At), zipEnd64Size), binary.LittleEndian, &end)
	ok = end.Mark == zipEnd64Mark && end.Bytes == limit-locator.At-12 && end.Disk == 0 && end.Start == 0 &&
		end.Here == end.Entries && end.At <= locator.At && end.Size == locator.At-end.At
	return zipPlace{end.Entries, end.At, end.Size}, ok, err
}

// readZipCentral reads one header of the central directory; io.EOF ends it.
func readZipCentral(r io.Reader, l Limits) (zipEntry, error) {
	var head [zipCentralSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return zipEntry{}, err
	}
	u := binary.LittleEndian
	if u.Uint32(head[:]) != zipCentralMark {
		return zipEntry{}, refuse(RuleCorrupt, "", hintAgain, "the directory of the archive is damaged")
	}
	nameSize, extraSize, commentSize := int(u.Uint16(head[28:])), int(u.Uint16(head[30:])), int(u.Uint16(head[32:]))
	rest := make([]byte, nameSize+extraSize+commentSize)
	if _, err := io.ReadFull(r, rest); errors.Is(err, io.EOF) {
		return zipEntry{}, io.ErrUnexpectedEOF
	} else if err != nil {
		return zipEntry{}, err
	}
	e := zipEntry{
		name: string(rest[:nameSize]), flags: u.Uint16(head[8:]), method: u.Uint16(head[10:]), sum: u.Uint32(head[16:]),
		packed: int64(u.Uint32(head[20:])), size: int64(u.Uint32(head[24:])), at: int64(u.Uint32(head[42:])), mode: u.Uint32(head[38:]) >> 16,
	}
	if nameSize > l.PathBytes+len("./")+len("/") {
		return e, refuse(RulePath, e.name, hintRename, "the path is longer than %d bytes", l.PathBytes)
	}
	if disk := u.Uint16(head[34:]); disk != 0 && disk != zipFull16 {
		return e, refuse(RuleUnknown, e.name, hintFormats, "the archive has several parts")
	}
	return e, readZipExtra(&e, rest[nameSize:nameSize+extraSize], &e.size, &e.packed, &e.at)
}

// readZipExtra reads the extra fields of a header. Each wide value that is full is
// replaced by the next one of the zip64 field. A second name that differs is refused.
func readZipExtra(e *zipEntry, extra []byte, wide ...*int64) error {
	u := binary.LittleEndian
	seen := false
	for len(extra) >= 4 {
		id, size := u.Uint16(extra), int(u.Uint16(extra[2:]))
		if extra = extra[4:]; size > len(extra) {
			break // padding of some programs
		}
		field := extra[:size]
		extra = extra[size:]
		switch {
		case id == zipExtraName && size >= 5 && string(field[5:]) != e.name:
			return refuse(RulePath, e.name, hintAttack, "the entry has a second name, \"%s\"", shown(string(field[5:])))
		case id == zipExtra64 && seen:
			return refuse(RuleCorrupt, e.name, hintAgain, "the entry has two zip64 records")
		case id == zipExtra64:
			seen = true
			for _, value := range wide {
				if *value != zipFull32 || len(field) < 8 {
					continue
				}
				*value = int64(u.Uint64(field))
				field = field[8:]
			}
		}
	}
	for _, value := range wide {
		if *value < 0 {
			return refuse(RuleCorrupt, e.name, hintAttack, "the entry has an impossible size or place")
		}
	}
	return nil
}
