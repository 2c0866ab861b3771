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

// zipEnd says where the central directory is.
type zipEnd struct {
	entries, at, size uint64
}

var errZipEnd = errors.New("no end record") // never leaves this file

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
func findZipEnd(r io.ReaderAt, size int64) (zipEnd, error) {
	tail := make([]byte, min(size, zipEndSize+zipCommentMax))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return zipEnd{}, err
	}
	i := bytes.LastIndex(tail, binary.LittleEndian.AppendUint32(nil, zipEndMark))
	if i < 0 || len(tail)-i < zipEndSize {
		return zipEnd{}, refuse(RuleTruncated, "", hintAgain, "the archive has no end record: it was cut short, or other bytes follow it")
	}
	u16 := func(at int) uint64 { return uint64(binary.LittleEndian.Uint16(tail[i+at:])) }
	u32 := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(tail[i+at:])) }
	switch comment := len(tail) - i - zipEndSize; {
	case int(u16(20)) > comment:
		return zipEnd{}, refuse(RuleTruncated, "", hintAgain, "the comment of the archive is cut short")
	case int(u16(20)) < comment:
		return zipEnd{}, refuse(RuleTrailing, "", hintAgain, "there are bytes after the end of the archive")
	}
	at := size - int64(len(tail)-i)
	end := zipEnd{entries: u16(10), size: u32(12), at: u32(16)}
	full := end.entries == zipFull16 || end.size == zipFull32 || end.at == zipFull32
	if u16(4) == 0 && u16(6) == 0 && u16(8) == end.entries && !full && end.at+end.size == uint64(at) {
		return end, nil
	}
	large, err := readZipEnd64(r, at)
	switch {
	case err == nil && (end.entries == zipFull16 || end.entries == large.entries) &&
		(end.size == zipFull32 || end.size == large.size) && (end.at == zipFull32 || end.at == large.at):
		return large, nil
	case err == nil || errors.Is(err, errZipEnd):
		return zipEnd{}, refuse(RuleCorrupt, "", hintAgain, "the directory of the archive is not where the end record says, or the archive has several parts")
	}
	return zipEnd{}, err
}

// readZipEnd64 reads the zip64 end record before the end record at that offset.
func readZipEnd64(r io.ReaderAt, at int64) (zipEnd, error) {
	if at < zipLocatorSize+zipEnd64Size {
		return zipEnd{}, errZipEnd
	}
	var locator [zipLocatorSize]byte
	if _, err := r.ReadAt(locator[:], at-zipLocatorSize); err != nil {
		return zipEnd{}, err
	}
	u := binary.LittleEndian
	where := u.Uint64(locator[8:])
	limit := uint64(at - zipLocatorSize)
	if u.Uint32(locator[:]) != zipLocatorMark || u.Uint32(locator[4:]) != 0 || u.Uint32(locator[16:]) > 1 ||
		where > limit || limit-where < zipEnd64Size {
		return zipEnd{}, errZipEnd
	}
	var record [zipEnd64Size]byte
	if _, err := r.ReadAt(record[:], int64(where)); err != nil {
		return zipEnd{}, err
	}
	end := zipEnd{entries: u.Uint64(record[32:]), size: u.Uint64(record[40:]), at: u.Uint64(record[48:])}
	if u.Uint32(record[:]) != zipEnd64Mark || u.Uint64(record[4:]) != limit-where-12 || u.Uint64(record[16:]) != 0 ||
		u.Uint64(record[24:]) != end.entries || end.at > where || end.size != where-end.at {
		return zipEnd{}, errZipEnd
	}
	return end, nil
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
	if _, err := io.ReadFull(r, rest); err != nil {
		return zipEntry{}, noEOF(err)
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

// noEOF makes an end in the middle of a record what it is.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
