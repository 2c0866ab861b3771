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
			util.Prioritized(includeBlock{}, 60),
			util.Prioritized(commentBlockParser{}, 65),
			util.Prioritized(templateBlock{}, 70),
			util.Prioritized(moduleBlock{}, 74),
			util.Prioritized(componentBlock{}, 75),
			util.Prioritized(colonCallout{}, 80),
			util.Prioritized(indentCallout{}, 90),
			util.Prioritized(fewHeadings{parser.NewSetextHeadingParser()}, 100),
			util.Prioritized(guarded{guarded{extension.NewDefinitionListParser(), tooDeep}, longerThan(maxInline)}, 110),
			util.Prioritized(extension.NewDefinitionDescriptionParser(), 120),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallowList{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(guarded{parser.NewCodeBlockParser(), isMDX}, 500),
			util.Prioritized(fewHeadings{guarded{parser.NewATXHeadingParser(), longerThan(maxInline)}}, 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(indentedFence{}, 710),
			util.Prioritized(mathBlockParser{}, 750),
			util.Prioritized(labelBlock{}, 755),
			util.Prioritized(guarded{parser.NewBlockquoteParser(), tooDeep}, 800),
			util.Prioritized(markdownTag{}, 890),
			util.Prioritized(guarded{guarded{guarded{insideMarkdown{hidingHTML{parser.NewHTMLBlockParser()}}, textFollows}, isMarkdownLine}, longerThan(maxHTMLLine)}, 900),
			util.Prioritized(newFootnoteDefinition(), 950),
			util.Prioritized(parser.NewParagraphParser(), 1000),
			util.Prioritized(indentedParagraph{parser.NewParagraphParser()}, 1001),
		),
		parser.WithInlineParsers(
			util.Prioritized(taskBoxParser{extension.NewTaskCheckBoxParser()}, 0),
			util.Prioritized(bracketParser{}, 50),
			util.Prioritized(templateLink{}, 55),
			util.Prioritized(commentParser{}, 78),
			util.Prioritized(templateText{}, 79),
			util.Prioritized(footnoteRef{}, 60),
			util.Prioritized(criticParser{}, 65),
			util.Prioritized(inlineNoteParser{}, 85),
			util.Prioritized(scriptParser{}, 86),
			util.Prioritized(wikiLinkParser{}, 70),
			util.Prioritized(attributesParser{}, 80),
			util.Prioritized(mathParser{}, 90),
			util.Prioritized(blockIDParser{}, 96),
			util.Prioritized(keysParser{}, 97),
			util.Prioritized(boundedCode{parser.NewCodeSpanParser()}, 100),
			util.Prioritized(boundedLinks{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(componentTagParser{}, 350),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(fewDelimiters{parser.NewEmphasisParser()}, 500),
			util.Prioritized(fewDelimiters{extension.NewStrikethroughParser()}, 500),
			util.Prioritized(fewDelimiters{markParser{}}, 500),
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

// plainBlock is what the parsers of most of our blocks have in common: they may interrupt
// a paragraph, do not start with an indented line, and have nothing to do at the end.
type plainBlock struct{}

// Close implements parser.BlockParser.
func (plainBlock) Close(ast.Node, text.Reader, parser.Context) {}

// CanInterruptParagraph implements parser.BlockParser.
func (plainBlock) CanInterruptParagraph() bool { return true }

// CanAcceptIndentedLine implements parser.BlockParser.
func (plainBlock) CanAcceptIndentedLine() bool { return false }
