package lexers

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io/fs"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

//go:embed lexers.zip
var archive []byte

// wordsSuffix is what the name of the file of words has in place of .xml.
const wordsSuffix = ".words"

// Registry returns all lexers. It is made by the first call.
var Registry = sync.OnceValue(func() *chroma.LexerRegistry {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(err) // the archive is part of the program
	}
	registry := chroma.NewLexerRegistry()
	for _, f := range files.File {
		if strings.HasSuffix(f.Name, ".xml") {
			registry.Register(chroma.MustNewXMLLexer(files, f.Name))
		}
	}
	for _, f := range files.File {
		if lexer, ok := strings.CutSuffix(f.Name, wordsSuffix); ok {
			of := chroma.MustNewXMLLexer(files, lexer+".xml")
			registry.Register(withWords(of, files, f.Name))
		}
	}
	registerSpecial(registry)
	return registry
})

// withWords returns a lexer whose variables that a file of the archive lists have another type:
// a line holds the type and the word.
func withWords(lexer chroma.Lexer, files fs.FS, name string) chroma.Lexer {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		panic(err)
	}
	types := make(chroma.TypeMapping, bytes.Count(text, []byte("\n")))
	i := 0
	for line := range strings.Lines(string(text)) {
		kind, word, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if types[i].To, err = chroma.TokenTypeString(kind); err != nil {
			panic(err)
		}
		types[i].From, types[i].Words = chroma.NameVariable, []string{word}
		i++
	}
	return chroma.TypeRemappingLexer(lexer, types)
}
