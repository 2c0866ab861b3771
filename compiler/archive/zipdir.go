package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
)

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
