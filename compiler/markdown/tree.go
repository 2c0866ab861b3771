package markdown

import (
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/frontmatter"
)

// engine is the one goldmark instance; its parser is safe for concurrent use.
var engine = sync.OnceValue(func() goldmark.Markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(blockReader{open: openComment, next: continueComment, indented: true}, 65),
			util.Prioritized(blockReader{signs: ":/!?={`<-(", open: openCallout, next: continueCallout}, 70),
			util.Prioritized(blockReader{signs: "ie", open: openModule, next: continueCallout, apart: true}, 74),
			util.Prioritized(fewHeadings{parser.NewSetextHeadingParser()}, 100),
			util.Prioritized(guarded{guarded{extension.NewDefinitionListParser(), tooDeep}, longerThan(maxInline)}, 110),
			util.Prioritized(extension.NewDefinitionDescriptionParser(), 120),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallowList{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(guarded{parser.NewCodeBlockParser(), isMDX}, 500),
			util.Prioritized(fewHeadings{guarded{parser.NewATXHeadingParser(), longerThan(maxInline)}}, 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(blockReader{signs: "`~", open: openIndentedFence, next: continueIndentedFence, indented: true}, 710),
			util.Prioritized(blockReader{signs: "$", open: openMathBlock, next: continueMathBlock}, 750),
			util.Prioritized(guarded{parser.NewBlockquoteParser(), tooDeep}, 800),
			util.Prioritized(blockReader{signs: "<", open: openMarkdownTag, next: closeAtOnce}, 890),
			util.Prioritized(guarded{guarded{guarded{htmlBlock{parser.NewHTMLBlockParser()}, textFollows}, isMarkdownLine}, longerThan(maxHTMLLine)}, 900),
			util.Prioritized(newFootnoteDefinition(), 950),
			util.Prioritized(parser.NewParagraphParser(), 1000),
			util.Prioritized(indentedParagraph{parser.NewParagraphParser()}, 1001),
		),
		parser.WithInlineParsers(
			util.Prioritized(taskBoxParser{extension.NewTaskCheckBoxParser()}, 0),
			util.Prioritized(inlineReader{"[", parseBracket}, 50),
			util.Prioritized(inlineReader{"[", parseTemplateLink}, 55),
			util.Prioritized(inlineReader{"%{<", parseComment}, 78),
			util.Prioritized(inlineReader{"{", parseTemplateText}, 79),
			util.Prioritized(inlineReader{"[", parseFootnoteRef}, 60),
			util.Prioritized(inlineReader{"{", parseCritic}, 65),
			util.Prioritized(inlineReader{"^]", parseInlineNote}, 85),
			util.Prioritized(inlineReader{"^~", parseScript}, 86),
			util.Prioritized(inlineReader{"[!", parseWikiLink}, 70),
			util.Prioritized(inlineReader{"{", parseAttributes}, 80),
			util.Prioritized(inlineReader{"$\\", parseMath}, 90),
			util.Prioritized(inlineReader{"^", parseBlockID}, 96),
			util.Prioritized(inlineReader{"+", parseKeys}, 97),
			util.Prioritized(boundedCode{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(boundedLinks{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(inlineReader{"<", parseComponentTag}, 350),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(fewDelimiters{parser.NewEmphasisParser()}, 500),
			util.Prioritized(fewDelimiters{extension.NewStrikethroughParser()}, 500),
			util.Prioritized(fewDelimiters{inlineReader{"=^", parseMark}}, 500),
			util.Prioritized(newBareAddress(), 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(quoteCallout{}, 50),
			util.Prioritized(fewDefinitions{parser.LinkReferenceParagraphTransformer}, 100),
			util.Prioritized(smallTable{extension.NewTableParagraphTransformer()}, 200),
			util.Prioritized(longText{}, 1000),
		),
		parser.WithASTTransformers(
			util.Prioritized(extension.NewTableASTTransformer(), 0),
		),
	)
	return goldmark.New(goldmark.WithParser(p))
})

// parseTree parses a text into a goldmark tree whose offsets are those of the
// whole text, front matter block left out.
func parseTree(source []byte, block frontmatter.Block, mdx bool) (ast.Node, []note) {
	reader := readerAt(source, block.End)
	pc := parser.NewContext()
	s := newState(source, mdx, block.End > 0)
	pc.Set(stateKey, s)
	return engine().Parser().Parse(reader, parser.WithContext(pc)), s.notes
}

// readerAt returns a reader that starts at a line start.
func readerAt(source []byte, offset int) text.Reader {
	r := text.NewReader(source)
	r.SetPosition(0, text.NewSegment(0, offset))
	r.AdvanceLine()
	return r
}

// taskBoxParser reads a task box only where white space or the end of the line
// follows it, so that "- [x](u)" is a link.
type taskBoxParser struct{ parser.InlineParser }

// Parse implements parser.InlineParser.
func (p taskBoxParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if line, _ := block.PeekLine(); len(line) > 3 && !util.IsSpace(line[3]) {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// blockReader is a parser of blocks of ours.
type blockReader struct {
	signs    string // their lines begin with one of these; "": with anything
	open     func(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State)
	next     func(node ast.Node, reader text.Reader, pc parser.Context) parser.State // reads the lines that follow
	indented bool                                                                    // their first line may be indented like code
	apart    bool                                                                    // they do not interrupt a paragraph
}

// Trigger implements parser.BlockParser.
func (r blockReader) Trigger() []byte {
	if r.signs != "" {
		return []byte(r.signs)
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

// Open implements parser.BlockParser.
func (r blockReader) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	return r.open(parent, reader, pc)
}

// Continue implements parser.BlockParser.
func (r blockReader) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	return r.next(node, reader, pc)
}

// Close implements parser.BlockParser.
func (blockReader) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (r blockReader) CanInterruptParagraph() bool { return !r.apart }

// CanAcceptIndentedLine implements parser.BlockParser.
func (r blockReader) CanAcceptIndentedLine() bool { return r.indented }

// closeAtOnce ends a block after its first line.
func closeAtOnce(ast.Node, text.Reader, parser.Context) parser.State { return parser.Close }

// inlineReader is a parser of what is ours in a line: it begins with one of some signs.
type inlineReader struct {
	signs string
	parse func(parent ast.Node, block text.Reader, pc parser.Context) ast.Node
}

// Trigger implements parser.InlineParser.
func (r inlineReader) Trigger() []byte { return []byte(r.signs) }

// Parse implements parser.InlineParser.
func (r inlineReader) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	return r.parse(parent, block, pc)
}
