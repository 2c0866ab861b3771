package compiler

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"sync"

	"github.com/packgen/packgen/compiler/regularfile"
)

// Program identifies the running program by its content, so that the same program on two
// machines has the same identity: by the id that the Go linker puts into it, and by its
// digest where it has none.
var Program = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	return programAt(name)
})

// idWithin is how far into a program the id of the linker is, in bytes.
const idWithin = 32 << 10

// programAt identifies the program in a file.
func programAt(name string) string {
	f, _, err := regularfile.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, idWithin)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF {
		return ""
	}
	head = head[:n]
	if id := linkedID(head); id != "" {
		return id
	}
	sum := sha256.New()
	sum.Write(head)
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// linkedID returns the id of the linker from the first bytes of a program: in an ELF file
// it is a note, in others a mark at the beginning of the code.
func linkedID(head []byte) string {
	for at := head; ; {
		i := bytes.Index(at, []byte("\x04\x00\x00\x00Go\x00\x00")) // the type of the note, and its owner
		if i < 0 {
			break
		}
		if i >= 8 && binary.LittleEndian.Uint32(at[i-8:]) == 4 {
			size := int(binary.LittleEndian.Uint32(at[i-4:]))
			if id := at[i+8:]; size > 0 && size <= len(id) {
				return string(id[:size])
			}
		}
		at = at[i+8:]
	}
	_, rest, found := bytes.Cut(head, []byte("\xff Go build ID: \""))
	if id, _, whole := bytes.Cut(rest, []byte("\"\n \xff")); found && whole {
		return string(id)
	}
	return ""
}
