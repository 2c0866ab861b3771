package json

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
)

// rootVersion is the version of an index that is split by pack: a root that names its
// parts, each an index of version 1 with the entries of one pack.
const rootVersion = "2.0.0"

// What is read of a root.
const (
	maxRoot  = 16 << 20 // 16 MiB
	MaxParts = 10_000
)

// Root is an index.json that is split.
type Root struct {
	Index loadout.Index // of all parts, without entries
	Parts []Part        // in the order of the entries
}

// Part is what a root says of a part.
type Part struct {
	Pack    string
	Path    string // below the folder of the root
	Entries int
	Tokens  float64 // of all entries
	Size    int64   // of the file, in bytes
	SHA256  string  // of the file, in hex
}

// PartError says why a root, or a part of it, is not read.
type PartError struct {
	Path    string // of the part; "" for the root
	Problem string
}

func (e *PartError) Error() string {
	if e.Path == "" {
		return "the parts of the index: " + e.Problem
	}
	return fmt.Sprintf("part %s of the index: %s", e.Path, e.Problem)
}

// ReadRoot reads a root; it returns nil for any other text, which Read reads or refuses.
func ReadRoot(text []byte) (*Root, error) {
	if len(text) > maxRoot || !hasKey(text, "parts") {
		return nil, nil
	}
	v, err := parse(text, false, maxRoot)
	if err != nil || v.Get("parts").Kind() != loadout.Array || v.Get("entries").Kind() != loadout.Missing {
		return nil, nil // where it is not JSON, Read says so
	}
	if version, _ := v.Get("version").Str(); !strings.HasPrefix(version, "2.") {
		return nil, &PartError{"", fmt.Sprintf("version %q is not one that is split", version)}
	}
	r := &Root{}
	ix, _ := loadout.DecodeAtMost(v, 0)
	r.Index = loadout.Index{Version: loadout.Version, Generated: ix.Generated, Budget: ix.Budget, Tokenizer: ix.Tokenizer}
	seen := map[string]bool{}
	for item := range v.Get("parts").Items {
		p := partOf(item)
		switch problem := p.problem(); {
		case problem != "":
			return nil, &PartError{p.Path, problem}
		case seen[p.Path] || seen["pack "+p.Pack]:
			return nil, &PartError{p.Path, "it is named twice"}
		case len(r.Parts) == MaxParts:
			return nil, &PartError{"", "there are more than 10,000"}
		}
		seen[p.Path], seen["pack "+p.Pack] = true, true
		r.Parts = append(r.Parts, p)
	}
	if entries, size := r.Totals(); entries > MaxEntries || size > MaxIndex {
		return nil, &PartError{"", "together they have more than 1,000,000 entries or 1 GiB"}
	}
	return r, nil
}

// hasKey reports a text that may hold an object with a key.
func hasKey(text []byte, key string) bool {
	for {
		_, after, ok := bytes.Cut(text, []byte(`"`+key+`"`))
		if !ok {
			return false
		}
		if bytes.HasPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":")) {
			return true
		}
		text = after
	}
}

func partOf(v loadout.Value) Part {
	p := Part{Entries: int(whole(v.Get("entries"), MaxEntries)), Size: whole(v.Get("size"), MaxIndex), Tokens: -1}
	p.Pack, _ = v.Get("pack").Str()
	p.Path, _ = v.Get("path").Str()
	p.SHA256, _ = v.Get("sha256").Str()
	if tokens, ok := v.Get("tokens").Num(); ok {
		p.Tokens = tokens
	}
	return p
}

// whole returns a count of at most that many, and -1 for any other value.
func whole(v loadout.Value, most int64) int64 {
	n, ok := v.Num()
	if !ok || n < 0 || n > float64(most) || n != float64(int64(n)) {
		return -1
	}
	return int64(n)
}

// problem says what is wrong with a part as the root has it.
func (p *Part) problem() string {
	digits, err := hex.DecodeString(p.SHA256)
	isSum := err == nil && len(digits) == sha256.Size && strings.ToLower(p.SHA256) == p.SHA256
	switch {
	case !fs.ValidPath(p.Path) || path.Ext(p.Path) != ".json" || strings.ContainsAny(p.Path, "\\:%?#\x00"):
		return "its path does not stay below the folder of the index"
	case p.Pack == "":
		return "it names no pack"
	case !isSum:
		return "its sha256 is not a SHA-256 of 64 lower-case hex digits"
	case p.Size <= 0:
		return "its size is not that of an index"
	case p.Entries < 0:
		return "its number of entries is not that of an index"
	case p.Tokens < 0:
		return "its tokens are not a number from 0"
	}
	return ""
}

// Totals returns how many entries and bytes the parts have.
func (r *Root) Totals() (entries int, size int64) {
	for i := range r.Parts {
		entries += r.Parts[i].Entries
		size += r.Parts[i].Size
	}
	return entries, size
}

// Write returns the root as the text of an index.json.
func (r *Root) Write() []byte {
	parts := List(r.Parts, func(dst []byte, p Part) []byte {
		var o Object
		o.Text("pack", p.Pack).Text("path", p.Path).Number("entries", float64(p.Entries)).Number("tokens", p.Tokens)
		return append(dst, o.Number("size", float64(p.Size)).Text("sha256", p.SHA256).JSON()...)
	})
	var o Object
	o.Text("version", rootVersion).Text("generated", r.Index.Generated).Value("parts", parts)
	o.Value("budget", loadout.AppendBudget(nil, r.Index.Budget))
	if r.Index.Tokenizer != "" {
		o.Text("tokenizer", string(r.Index.Tokenizer))
	}
	return append(Indent(nil, loadout.Value(o.JSON())), '\n')
}

// Empty is the index of all parts, as Read would return it, without its entries.
func (r *Root) Empty() *loadout.Index {
	v, _ := parse(loadout.AppendIndex(nil, &r.Index), false, maxRoot) // it was parsed before
	ix, _ := loadout.DecodeAtMost(v, 0)
	return ix
}

// Differs says why a file is not the part that a root names, by its size and digest; nil
// when it is.
func (p *Part) Differs(size int64, sum []byte) error {
	if size != p.Size || hex.EncodeToString(sum) != p.SHA256 {
		return &PartError{p.Path, "the file is not the one that the root names: it is of another build"}
	}
	return nil
}

// Holds says what is wrong with a part that was read as an index of that many entries.
func (p *Part) Holds(r *Root, ix *loadout.Index, entries int) error {
	err := ix.Check()
	switch {
	case err != nil:
		return &PartError{p.Path, err.Error()}
	case entries != p.Entries:
		return &PartError{p.Path, fmt.Sprintf("it has %d entries, and the root says %d", entries, p.Entries)}
	case ix.Tokenizer != r.Index.Tokenizer:
		return &PartError{p.Path, "its tokenizer is not that of the root"}
	}
	return nil
}

// Join reads all parts and returns the index that they are of. Read returns the bytes of a
// part, of which at most one more than its size are looked at.
func (r *Root) Join(read func(p *Part) ([]byte, error)) (*loadout.Index, error) {
	ix := r.Empty()
	for i := range r.Parts {
		p := &r.Parts[i]
		text, err := read(p)
		var differs *PartError
		if errors.As(err, &differs) {
			return nil, err
		}
		if errors.Is(err, fs.ErrNotExist) { // the index is there
			return nil, &PartError{p.Path, "it is missing"}
		}
		if err != nil {
			return nil, fmt.Errorf("part %s of the index: %w", p.Path, err)
		}
		sum := sha256.Sum256(text)
		if err := p.Differs(int64(len(text)), sum[:]); err != nil {
			return nil, err
		}
		one, err := Read(text)
		if err != nil {
			return nil, fmt.Errorf("part %s of the index: %w", p.Path, err)
		}
		if err := p.Holds(r, one, len(one.Entries)); err != nil {
			return nil, err
		}
		ix.Entries = append(ix.Entries, one.Entries...)
	}
	return ix, nil
}

// ReadWith is Read for an index that may be split: read returns the bytes of a part.
func ReadWith(text []byte, read func(p *Part) ([]byte, error)) (*loadout.Index, error) {
	root, err := ReadRoot(text)
	if err != nil {
		return nil, err
	}
	if root != nil {
		return root.Join(read)
	}
	return Read(text)
}

// Indent appends a value in the pretty form: two spaces a level, ": " after a
// key, empty arrays and objects as [] and {}. It adds no final line feed.
func Indent(dst []byte, v loadout.Value) []byte { return indent(dst, string(v), 0) }

// indent is Indent for a value that is depth levels down.
func indent[T string | []byte](dst []byte, s T, depth int) []byte {
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '"':
			end := literalEnd(s, i)
			dst = append(dst, s[i:end]...)
			i = end
			continue
		case '{', '[':
			if i+1 < len(s) && s[i+1] == c+2 { // ']' and '}' follow their opener by two
				dst = append(dst, c, c+2)
				i += 2
				continue
			}
			depth++
			dst = newline(append(dst, c), depth)
		case '}', ']':
			depth--
			dst = append(newline(dst, depth), c)
		case ',':
			dst = newline(append(dst, c), depth)
		case ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

func newline(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

// literalEnd returns the offset after the string literal that starts at i.
func literalEnd[T string | []byte](s T, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// Object writes a compact JSON object, its keys in the order in which they are set. The
// zero value is empty. It keeps lone surrogates, and programs that use it start faster
// than with encoding/json.
type Object struct{ text []byte }

// Value sets a key to a value that is JSON already.
func (o *Object) Value(key string, value []byte) *Object {
	if len(o.text) == 0 {
		o.text = append(o.text, '{')
	}
	o.text = append(loadout.AppendKey(o.text, key), value...)
	return o
}

// Text sets a key to a text.
func (o *Object) Text(key, value string) *Object {
	return o.Value(key, loadout.AppendString(nil, value))
}

// Number sets a key to a number, null for one that JSON cannot say.
func (o *Object) Number(key string, value float64) *Object {
	return o.Value(key, loadout.AppendNumber(nil, value))
}

// Bool sets a key to true or false.
func (o *Object) Bool(key string, value bool) *Object {
	return o.Value(key, strconv.AppendBool(nil, value))
}

// JSON returns the object.
func (o *Object) JSON() []byte {
	if len(o.text) == 0 {
		return []byte("{}")
	}
	return append(o.text, '}')
}

// List returns a compact JSON array of what item appends for each element.
func List[T any](list []T, item func(dst []byte, element T) []byte) []byte {
	out := []byte{'['}
	for i, element := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = item(out, element)
	}
	return append(out, ']')
}

// Strings returns texts as a compact JSON array.
func Strings(list []string) []byte { return List(list, loadout.AppendString) }
