package index

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
)

// note is what is kept of one payload.
type note struct {
	title    []string // words of the title, in order
	words    []string // every word once, in the order of the text
	counts   []uint32 // of the words
	places   []place  // of the words
	ours     bool     // the title is not an author's: it names a view
	summary  string   // first sentence; "" when there is none
	tokens   int      // estimate of the payload
	lines    int      // line feeds of the payload + 1
	declared *declaration
}

// contributorName names what the index adds to the records of units.
const contributorName = "index"

// contributorVersion changes with what is kept of a unit.
const contributorVersion = "10 "

// maxTags is how many tags of a page weigh like its headings.
const maxTags = 20

// Contributor notes the words of the splits of a pack.
func (b *Builder) Contributor(p *pack.Pack) compiler.Contributor {
	tokenizer := b.tokenizer(p)
	return compiler.Contributor{
		Name: contributorName, Key: contributorVersion + string(tokenizer),
		Unit: func(u *compiler.Unit) (facts, body []byte, err error) { return unitFacts(u, tokenizer), nil, nil },
	}
}

// unitFacts notes the splits of a unit.
func unitFacts(u *compiler.Unit, tokenizer loadout.Tokenizer) []byte {
	if len(u.Splits) == 0 {
		return nil
	}
	declared, questions := readPage(u, tokenizer), pageQuestions(u)
	description := u.Doc.MetaString("description")
	tags := u.Doc.MetaList(true, "tags", "tag")
	tags = tags[:min(len(tags), maxTags)]
	w := store.NewWriter(1 << 10)
	w.Uint(len(u.Splits))
	for _, s := range u.Splits {
		t := textOf(u.Doc, s.Start, s.End, s.Title, tokenizer)
		for _, tag := range tags {
			t.words.head(strings.TrimPrefix(tag, "#"))
		}
		t.words.describe(description)
		n := t.note()
		if len(u.Splits) == 1 || n.summary == "" {
			n.summary = cmp.Or(summarize(description), n.summary)
		}
		n.tokens, n.lines, n.declared = token.Estimate(s.Text), lines(s.Text), declared
		if len(u.Splits) > 1 && declared != nil {
			// One sentence cannot stand for each of several parts.
			part := *declared
			part.summary = ""
			n.declared = &part
		}
		n.declared = n.declared.answering(questionsOf(questions, &s.Split), []string{u.Title, s.Title}, tokenizer)
		w.Str(s.ID)
		n.pack(w)
		t.words.release()
	}
	return w.Bytes()
}

// note takes over the result of a text. It is valid until the counter is
// released.
func (t *text) note() note {
	return note{title: t.words.title, words: t.words.words, counts: t.words.counts, places: t.words.places, summary: t.summary}
}

func (n *note) pack(w *store.Writer) {
	w.Strs(n.title)
	w.Strs(n.words)
	for i, c := range n.counts {
		w.Uint(int(c))
		w.Uint(int(n.places[i]))
	}
	w.Str(n.summary)
	w.Uint(n.tokens)
	w.Uint(n.lines)
	w.Str(n.declared.encode())
}

// unpack reads a note in the place of another one, whose lists it uses again. It returns its
// declaration as it is written, "" for none.
func (n *note) unpack(r *store.Reader) (declared string) {
	*n = note{title: readStrs(r, n.title), words: readStrs(r, n.words), counts: n.counts[:0], places: n.places[:0]}
	for range n.words {
		n.counts, n.places = append(n.counts, uint32(r.Uint())), append(n.places, place(r.Uint()))
	}
	n.summary, n.tokens, n.lines = r.Str(), r.Uint(), r.Uint()
	return r.Str()
}

func readStrs(r *store.Reader, list []string) []string {
	list = list[:0]
	for range r.Count() {
		list = append(list, r.Str())
	}
	return list
}

// unitNotes are the notes of the splits of one unit, until those of the next are read.
type unitNotes struct {
	ids  []string // of the splits
	list []note   // some of earlier units after them
	next int      // the one after that which was asked for last: they come in order
}

// read reads the notes of a unit; false when they are damaged.
func (u *unitNotes) read(facts []byte) bool {
	u.ids, u.next = u.ids[:0], 0
	if len(facts) == 0 {
		return true
	}
	r := store.ReadBytes(facts)
	var last string // the declaration that was read last: most splits of a page have the same, kept until the index is made
	var known *declaration
	for i := range r.Count() {
		u.ids = append(u.ids, r.Str())
		if i == len(u.list) {
			u.list = append(u.list, note{})
		}
		declared := u.list[i].unpack(r)
		if declared == "" {
			continue
		}
		if declared != last {
			d, ok := decodeDeclaration(declared)
			if !ok {
				return false
			}
			known, last = &d, declared
		}
		u.list[i].declared = known
	}
	return r.Done()
}

// of returns the note of a split; nil when there is none.
func (u *unitNotes) of(id string) *note {
	i := u.next
	if i >= len(u.ids) || u.ids[i] != id {
		if i = slices.Index(u.ids, id); i < 0 {
			return nil
		}
	}
	u.next = i + 1
	return &u.list[i]
}

// faults are what is wrong with the front matter of the page: the same for all splits.
func (u *unitNotes) faults() []diag.Diagnostic {
	if len(u.ids) == 0 || u.list[0].declared == nil {
		return nil
	}
	return u.list[0].declared.faults
}

// encode writes a declaration; "" for one that says nothing.
func (d *declaration) encode() string {
	if d == nil || reflect.ValueOf(*d).IsZero() {
		return ""
	}
	return string(store.Encode(d))
}

// decodeDeclaration reads what encode wrote. It holds nothing else that is known of the file.
func decodeDeclaration(text string) (d declaration, ok bool) {
	return d, text == "" || store.Decode([]byte(text), &d)
}

// summaryLimit is the most UTF-16 units a summary may have (loadout section 2.2).
const summaryLimit = 120

// ellipsis ends a summary that was cut.
const ellipsis = "…"

// softHyphen marks where a word may be parted, which no summary needs.
const softHyphen = '\u00ad'

// oneLine returns text on one line without control or invisible characters, except for
// those that letters and emoji are joined by.
func oneLine(s string) string {
	clean, _ := invisible.Remove(s)
	clean = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == softHyphen, r == utf8.RuneError:
			return -1
		}
		return r
	}, clean)
	return strings.Join(strings.Fields(clean), " ")
}

// maxSummaryText is how many bytes at the head of a text are looked at for its
// first sentence: far more than a summary may have.
const maxSummaryText = 2 << 10

// summarize returns the first sentence of a text within the limit (rule 6). The
// result does not refer to the text.
func summarize(s string) string {
	if len(s) > maxSummaryText {
		end := maxSummaryText
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	return strings.Clone(cut(firstSentence(oneLine(s))))
}

// shortened are words whose full stop does not end a sentence.
var shortened = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "mr.", "mrs.", "ms.", "dr.", "st."}

// firstSentence returns one line of text up to the end of its first sentence.
func firstSentence(s string) string {
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？':
			return s[:end]
		case '.', '!', '?':
			if end == len(s) || s[end] == ' ' && endsSentence(s[:end], s[end+1:]) {
				return s[:end]
			}
		}
	}
	return s
}

// endsSentence reports whether the mark at the end of before closes a sentence
// that after follows: not after an abbreviation or an initial, and not when the text
// continues in lower case.
func endsSentence(before, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	if unicode.IsLower(next) {
		return false
	}
	word := before[strings.LastIndexByte(before, ' ')+1:]
	if utf8.RuneCountInString(word) == 2 && word[len(word)-1] == '.' && unicode.IsUpper([]rune(word)[0]) {
		return false
	}
	lower := strings.ToLower(strings.TrimLeft(word, "([\"'"))
	return !slices.Contains(shortened, lower)
}

// cut shortens a line to the limit, between words where it can.
func cut(s string) string {
	if token.Units(s) <= summaryLimit {
		return s
	}
	room := summaryLimit - token.Units(ellipsis)
	units, end, space := 0, 0, 0
	for i, r := range s {
		if units += token.Units(string(r)); units > room {
			break
		}
		if r == ' ' {
			space = i
		}
		end = i + utf8.RuneLen(r)
	}
	// A space right after the kept part is as good a place as one before it.
	if end < len(s) && s[end] == ' ' {
		space = end
	}
	// Text without spaces, or with one long word, is cut inside the word.
	if space > end/2 {
		end = space
	}
	return strings.TrimRight(s[:end], " ,;:-–—(\u200c\u200d") + ellipsis
}
