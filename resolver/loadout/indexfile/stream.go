package indexfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// errReplaced says that an index.json is not the one any more that was read.
var errReplaced = errors.New("the index changed while it was read")

// stream makes the index.bin of an index.json without either in memory: the texts of the
// entries wait in a file beside it. The error is indexjson.ErrWhole where the text has to
// be parsed as a whole.
func stream(json, bin string) error {
	in, info, err := regularfile.Open(json)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := regularfile.MkdirAll(filepath.Dir(bin), 0o777); err != nil {
		return err
	}
	texts, err := regularfile.CreateTemp(filepath.Dir(bin), "."+filepath.Base(bin)+".*"+atomicfile.TempSuffix)
	if err != nil {
		return err
	}
	defer regularfile.Remove(texts.Name())
	defer texts.Close()
	w, ix, err := addAll(json, in, info.Size(), texts)
	if err != nil {
		return err
	}
	return atomicfile.WriteFrom(bin, func(file io.Writer) error {
		out := bufio.NewWriterSize(file, pieceSize)
		err := w.Write(ix, func(put func([]byte) error) error { return eachPiece(texts, put) }, func(piece []byte) error {
			_, err := out.Write(piece)
			return err
		})
		if err == nil {
			err = out.Flush()
		}
		if err == nil && !isSame(json, info) {
			err = errReplaced
		}
		return err
	})
}

// tokenizerOf guesses the tokenizer of an index, which decides about its entries and mostly
// comes after them.
func tokenizerOf(in io.ReaderAt, size int64) loadout.Tokenizer {
	tail := make([]byte, min(size, 1<<10))
	if _, err := in.ReadAt(tail, size-int64(len(tail))); err == nil && bytes.Contains(tail, []byte(`"`+string(loadout.Unicode)+`"`)) {
		return loadout.Unicode
	}
	return ""
}

// addAll adds the entries of an index to a writer, their texts to a file, and returns the
// index without them and with the digest of its text.
func addAll(json string, in *os.File, size int64, texts *os.File) (*loadout.BinaryWriter, *loadout.Index, error) {
	if root, text := rootOf(json, size); root != nil {
		w, err := addParts(json, root, texts)
		return w, withDigest(root.Empty(), digest(text)), err
	}
	guess := tokenizerOf(in, size)
	w, ix, err := addOne(in, texts, guess)
	if err == nil && ix.Tokenizer != guess {
		w, ix, err = addOne(in, texts, ix.Tokenizer)
	}
	return w, ix, err
}

// addOne is addAll for an index in one file with a tokenizer.
func addOne(in io.ReadSeeker, texts *os.File, tokenizer loadout.Tokenizer) (*loadout.BinaryWriter, *loadout.Index, error) {
	_, err := in.Seek(0, io.SeekStart)
	if err == nil {
		err = texts.Truncate(0)
	}
	if err == nil {
		_, err = texts.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, nil, err
	}
	sum, out := &summed{hash: crc32.New(crc32.MakeTable(crc32.Castagnoli))}, bufio.NewWriterSize(texts, pieceSize)
	w := loadout.NewCompleteWriter()
	ix, err := indexjson.ReadEach(io.TeeReader(in, sum), adding(w, tokenizer, out))
	if err == nil {
		err = ix.Check()
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return nil, nil, err
	}
	return w, withDigest(ix, digestOf(binary.BigEndian.Uint32(sum.hash.Sum(nil)), sum.size)), nil
}

// addParts is addAll for an index that is split.
func addParts(json string, root *indexjson.Root, texts *os.File) (*loadout.BinaryWriter, error) {
	w, out := loadout.NewCompleteWriter(), bufio.NewWriterSize(texts, pieceSize)
	for i := range root.Parts {
		if err := addPart(json, root, &root.Parts[i], adding(w, root.Index.Tokenizer, out)); err != nil {
			return nil, err
		}
	}
	return w, out.Flush()
}

func addPart(json string, root *indexjson.Root, p *indexjson.Part, add func(loadout.Value) error) error {
	in, err := openPart(json, p)
	if err != nil {
		return err
	}
	defer in.Close()
	sum, entries := &summed{hash: sha256.New()}, 0
	ix, err := indexjson.ReadEach(io.TeeReader(io.LimitReader(in, p.Size+1), sum), func(v loadout.Value) error {
		entries++
		return add(v)
	})
	if err != nil {
		return err
	}
	if err := p.Differs(int64(sum.size), sum.hash.Sum(nil)); err != nil {
		return err
	}
	return p.Holds(root, ix, entries)
}

// adding returns a function that adds an entry to a writer, and its texts to a file.
func adding(w *loadout.BinaryWriter, tokenizer loadout.Tokenizer, out io.Writer) func(loadout.Value) error {
	var text []byte
	return func(v loadout.Value) error {
		e := loadout.DecodeEntry(v)
		e.SetTokenizer(tokenizer)
		text, _ = w.Add(text[:0], &e)
		_, err := out.Write(text)
		return err
	}
}

// summed is the checksum and the size of a text.
type summed struct {
	hash hash.Hash
	size int
}

func (s *summed) Write(text []byte) (int, error) {
	s.size += len(text)
	return s.hash.Write(text)
}

// pieceSize is how many bytes are read or written at once.
const pieceSize = 1 << 20

// eachPiece hands on the bytes of a file from its beginning.
func eachPiece(f *os.File, put func([]byte) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	piece := make([]byte, pieceSize)
	for {
		n, err := f.Read(piece)
		if n > 0 {
			if err := put(piece[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
