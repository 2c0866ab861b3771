package templates

import (
	"html/template"
	"strconv"

	"github.com/packgen/packgen/compiler/amount"
)

// Frame is what every page has around its content.
type Frame struct {
	Lang        string // language of the page, a BCP 47 tag
	Site        string // title of the whole site
	Title       string // title of this page
	Description string // one line for search engines and link previews
	Root        string // from this page to the site root: "" or "../../"
	Style       []string
	Script      []string // classic scripts, in order
	Module      []string // module scripts, in order
	Icon        string
	Onward      string // URL of the page that a reader is led on to at once; "" when there is none
	Canonical   string // absolute URL, "" when the site has no base URL
	Feed        string // the feed of changes, "" when there is none
	Markdown    string // the raw file beside this page, "" when there is none
	Menu        bool   // with a button that shows the pages of the folder
	Here        string // the part of the site: "packs", "match" or ""
	Policy      bool   // with a content security policy; false in tests only
	Version     string // of packgen
	Alone       *Alone // of a page without a site around it
	First       Inline // ours, carried by the page itself: it loads Script after the first paint; none: the page waits for Script
	Look        Inline // ours, carried by the page itself in place of Style, with First; none: the page waits for Style
}

// Alone is what a page that stands alone carries in itself: the stylesheet, which
// is ours, and its SHA-256 in base64. It links to nothing.
type Alone struct{ Style, Sum string }

// Inline is a script or a stylesheet that a page carries in itself, which is ours, and its
// SHA-256 in base64.
type Inline struct {
	Text []byte
	Sum  string
}

// Link is a link with its text.
type Link struct {
	URL, Text string
}

// Catalog is the start page: every pack of the site.
type Catalog struct {
	Frame
	Intro    string
	Packs    []Card // of this page of the list
	Total    int    // of all packs
	Pager    Pager
	Roles    []RoleCard
	Tokens   int // of every pack, together
	Splits   int
	Entries  int // of the loadout index
	Average  int // tokens of an average entry
	Warnings int
	HasMatch bool
	Report   string // the usage report, "" when there is none
	Files    []Link // machine-readable files, for the foot of the page
}

// Card is one pack in the catalog.
type Card struct {
	URL         string
	Name        string
	Description string
	Type        string
	Profile     string
	Mode        string // "persona", "" for data
	Status      string
	Standing    string // "stale" or "disputed" where the last compile says so, "" otherwise
	Trust       string // "" when not declared
	Grounding   string
	Version     string
	Splits      int
	Pages       int
	Claims      int
	Tokens      int
	Warnings    int
	Kept        *Notice // that the pack could not be built, and its pages are older; nil otherwise
}

// Notice is a warning in the open: something a reader must know before using
// what the page says.
type Notice struct {
	Kind  string // CSS class: a status word, "error" or "note"
	Title string
	Text  string
	URL   string // more about it, or ""
	More  string // the text of that link
}

// Fact is one row of a pack's data sheet.
type Fact struct {
	Name, Value string
	Badge       string // status class of the value, or ""
	URL         string
}

// Pack is the page of one pack.
type Pack struct {
	Frame
	Front       bool // the start page of a site without other packs
	Name        string
	Description string
	Status      string
	Notices     []Notice
	Facts       []Fact
	Tokens      int
	Splits      int
	Bar         []Segment
	Over        int // splits of more than SoftCap tokens
	SoftCap     int
	Curve       Curve
	Views       []ViewRow
	Groups      []SplitGroup
	MoreSplits  int // splits not listed here
	Findings    []Finding
	MoreFinds   string        // how many of which rule
	Guide       template.HTML // what the pack says of itself
	Shelf       []ShelfItem
	Files       []Link
	Index       string // compiled/index.json
	Archive     Archive
	Tabs        []Link // listings, claims, history, KNOWLEDGE.md
	Primary     Link   // listing of the primary source
}

// Archive is a pack to take away.
type Archive struct {
	URL, Text string // of the archive
	Bytes     int64  // of the archive
	Files     int    // in it
	Record    string // URL of pack.json
	Tree      string // tree hash of its files, "h1:..."
}

// Segment is one piece of the bar that shows how a pack's tokens are spread.
type Segment struct {
	X, Width int // in thousandths of the bar
	Title    string
	Tone     int // 0 or 1, so that files that follow each other differ; 2 of a split that is too large
}

// Curve is a drawing of recall against budget; without points there is none.
// Lengths are units of its view box.
type Curve struct {
	Queries       int
	Width, Height int
	Base, Foot    int    // where the axis is, and the budgets below it
	Line          string // the points of the line
	Points        []CurvePoint
}

// CurvePoint is one budget of a curve.
type CurvePoint struct {
	X, Y, Above       int    // the point, and the foot of its figure
	Budget            int    // tokens
	Recall, Precision string // with two digits
}

// ShelfItem is a folder or a page of the first two levels of a pack.
type ShelfItem struct {
	URL, Text string
	Inside    int  // pages in a folder
	Deep      bool // of the second level
}

// ViewRow is a view of a pack: a top-level file of compiled/.
type ViewRow struct {
	URL, Raw string
	Kind     string
	Tokens   int
	HandMade bool
	Doubt    string // "stale" or "disputed" when it was built on such material, or ""
}

// SplitGroup is the splits cut from one file, or those of a folder of pages that
// gave one each.
type SplitGroup struct {
	Title  string
	URL    string // "" for a folder without an index page
	Path   string
	Tokens int
	Splits []SplitRow
}

// SplitRow is one split.
type SplitRow struct {
	Title  string
	URL    string // its section on the page it was cut from
	Raw    string // the split's own file
	Tokens int
	Width  int // of its bar, 0 to 100
	Over   bool
	Doubt  string // "stale" or "disputed" when it rests on such material, or ""
}

// Finding is one diagnostic.
type Finding struct {
	Severity string
	ID       string
	Place    string
	URL      string
	Message  string
	Hint     string
}

// Document is the page of a document, a wiki page or a compiled view.
type Document struct {
	Frame
	Pack     Link
	Trail    []Link // between pack and page
	Status   string // of the file; "" when it says nothing
	Kind     string // "document", "wiki page", "view"
	Tokens   int
	Claims   int
	ClaimURL string
	Split    Link   // the split, when the whole page is one
	Changed  string // the day of the last change; "" when no dates are shown
	Edit     string // an address that edits the file, or ""
	Splits   string // folder of the page's splits, with a final slash, when it has several
	Notices  []Notice
	Heading  string // shown when the body has no title of its own
	Contents []Heading
	Body     []byte     // HTML
	Care     []ClaimRow // claims of the page that are not confirmed
	MoreCare int
	Branch   Branch
	Prev     Link
	Next     Link
	Back     []Backlink
	MoreBack int
	BackURL  string // the list of all pages that link here
}

// Heading is one line of a table of contents.
type Heading struct {
	ID, Text string
	Sub      bool
}

// Branch is the folder that a page is in.
type Branch struct {
	All   Link // the page of the folder
	Pages []BranchPage
	Left  int // items of the folder that are not shown
}

// BranchPage is an item of the folder, or the page itself.
type BranchPage struct {
	URL, Text string
	Here      bool
}

// Pager leads through a listing that is longer than one page.
type Pager struct {
	Page, Pages int
	Prev, Next  string
	First, Last string
}

// Listing is a table of pages: of all, or of a folder.
type Listing struct {
	Frame
	Pack   Link
	Trail  []Link // between pack and folder
	Name   string
	Body   []byte // HTML of the folder's README
	Titled bool   // the README has a title
	Total  int
	Rows   []ListingRow
	Pager  Pager
	Branch Branch
}

// ListingRow is a page of a listing, or a folder. Folder is set on the first row of each
// folder of a list of all pages.
type ListingRow struct {
	URL, Title, Path string
	Folder           Link
	Status           string
	Splits, Tokens   int
	Inside           int // pages in a folder
}

// Claims is the source map of a pack, as a table.
type Claims struct {
	Frame
	Pack    Link
	Heading string
	Only    string // the status of all of them, "" on the pages of all claims
	Total   int
	Counts  []StatusCount
	Rows    []ClaimRow
	Pager   Pager
}

// StatusCount is how many claims have a status, and the page of these; the URL is "" when
// they have none of their own.
type StatusCount struct {
	Status, URL string
	Count       int
}

// address is where the claims of the status are, seen from the pages of one status.
func (c StatusCount) address(from string) string {
	if c.Status == from {
		return ""
	}
	return c.URL
}

// ClaimRow is one claim with the place that states it and the source it rests on.
type ClaimRow struct {
	ID      string
	Text    string
	Status  string
	Place   Link
	Section string    // the title of the section, where it is not that of the page
	Since   string    // the day since which it is stale; "" when it is not known
	Against []Against // what it is disputed with, the first of it
	Source  Link      // URL is "" when the source is not published
	Span    string    // SHA-256 of the cited text, hexadecimal; "" when it is not known
	Cited   string    // the cited text, where sources are published
}

// Against is a claim with which another one is disputed.
type Against struct {
	Place Link
	Text  string // "" when it says the same
}

// History is the list of a pack's compile runs.
type History struct {
	Frame
	Pack  Link
	Total int
	Rows  []RunRow
	Pager Pager
}

// RunRow is one compile run: its id, its status and counts, never its text.
type RunRow struct {
	ID      string
	Raw     string // the record, when it is published
	Status  string
	Trigger string
	Tool    string
	Inputs  int
	Created int
	Updated int
	Deleted int
	Kept    int
	Errors  int
	Warns   int

	Files   []RunFile  // outputs that it made, changed or deleted, the first of them
	Pages   int        // pages that these splits are of
	Stale   []RunClaim // claims that have gone stale since the run before, the first of them
	Staled  int        // how many there are
	Gone    []RunClaim // claims that earlier runs found and this one did not
	Removed int        // how many of them the run before did find
	Routes  []RunRoute // splits whose declared routing has changed since the run before, the first of them
	Routed  int        // how many there are
}

// Changed counts the outputs that are not as they were.
func (r RunRow) Changed() int { return r.Created + r.Updated + r.Deleted }

// MoreFiles counts those that Files does not name.
func (r RunRow) MoreFiles() int { return max(0, r.Changed()-len(r.Files)) }

// MoreStale counts those that Stale does not name.
func (r RunRow) MoreStale() int { return max(0, r.Staled-len(r.Stale)) }

// RunFile is a split or a view that a run made, changed or deleted.
type RunFile struct {
	Path, Change string
	Text         string // its title, or its path below compiled/
	Page         string // the page that it is of, or ""
	URL          string // "" when it is no longer there
}

// RunClaim is a claim that has gone stale.
type RunClaim struct {
	ID, Source string
	Text       string // "" when the pack no longer states it
	URL        string // of the source, or ""
}

// RunRoute is a split for which a run found other declared routing than the run before.
type RunRoute struct {
	ID, Path string
	Change   string // created, updated or deleted
	Text     string // its title, or its id
	URL      string // "" when it is no longer there
}

// Match is the page that runs the matcher in the browser.
type Match struct {
	Frame
	Index    string // the root of the match index, from the page
	Entries  int
	Tokens   int
	Examples []string

	Dialects  []string // the names of all
	Dialect   string   // the one that the page starts with, and its threshold
	Threshold float64
}

// Search is the results page of the search. Without script it lists the pages.
type Search struct {
	Frame
	Packs []SearchPack
	More  Link // where other packs are listed; none when all are here
}

// SearchPack is a pack on the results page.
type SearchPack struct {
	URL, Name, Status string
	Pages             []Link // the first of them
	Lists             []Link // of all of them
}

func (Catalog) page() string  { return "catalog.html" }
func (Pack) page() string     { return "pack.html" }
func (Document) page() string { return "document" }
func (Listing) page() string  { return "listing" }
func (Claims) page() string   { return "claims" }
func (History) page() string  { return "history.html" }
func (Match) page() string    { return "match.html" }
func (Search) page() string   { return "search.html" }

// Source is the page of a file that claims rest on.
type Source struct {
	Frame
	Pack, All Link   // the pack, and its claims
	Path      string // in the pack
	Raw       string // the file as it is, "" when it is not published
	Lines     []string
	Total     int
	Rows      []ClaimRow
	Pager     Pager
}

func (Source) page() string { return "source" }

// write writes the page: what rests on the source, then its lines.
func (v Source) write(m *Markup) {
	m.head(&v.Frame)
	m.Put("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb><a%[href]>Packs</a><a%[href]>%s</a><a%[href]>%s</a></nav>\n", v.Root+"index.html", v.Pack.URL, v.Pack.Text, v.All.URL, v.All.Text)
	m.Put("<h1 class=path>%s</h1>\n<p class=sum>%s on this source.", v.Path, amount.Counted(v.Total, "claim")+rests(v.Total))
	switch {
	case v.Raw != "":
		m.Put(" <a%[href]>The file as it is</a>", v.Raw)
	default:
		m.Raw(" Its text is not published.")
	}
	m.Raw("</p>\n")
	m.pager(&v.Pager, "above")
	m.claims(v.Rows, "Filter by words or status")
	m.pager(&v.Pager, "below")
	if len(v.Lines) > 0 {
		m.Raw("<section aria-labelledby=s.text><h2 id=s.text class=label>Text</h2>\n<pre class=lines>")
		for i, line := range v.Lines {
			m.Put("<span%[id]>%s</span>\n", "L"+strconv.Itoa(i+1), line)
		}
		m.Raw("</pre></section>\n")
	}
	m.Raw("</main>\n")
	m.foot(&v.Frame)
}

func rests(n int) string {
	if n == 1 {
		return " rests"
	}
	return " rest"
}

// Role is the page of one role: what its boot says for every choice of usecases
// (boot.yml). The choice is made by the page's own checkboxes and stylesheet;
// everything a choice can show is in the page.
type Role struct {
	Frame
	Name     string
	Dir      string // as the boot prints it
	Mode     string // "none", "simple" or "subject"
	PackURL  string // of the pack that the role is, or ""
	Notices  []Notice
	Briefs   int
	Skills   int
	Costs    []RoleCost
	More     []RoleCost // further choices, of several usecases
	Most     int        // tokens that the longest bar stands for
	Subjects []RoleSubject
	Pick     bool // there are subjects, and not too many to choose from here
	Sections []RoleSection
	Contents []RoleContent
	Findings []Finding
	Files    []Link // boots as text
}

// RoleCost is what one choice of usecases costs.
type RoleCost struct {
	Name     string
	Choice   string // numbers of its subjects with blanks between, "all", or "" for none
	URL      string // its text, or ""
	Said     int
	Refs     int
	Rendered int
	Briefs   int
	Skills   int
	SaidX    int // thousandths of the bar
	RefsX    int
}

// RoleSubject is one usecase to choose.
type RoleSubject struct {
	Index    int
	Slug     string
	Rendered int // tokens when it is booted alone
}

// RoleSection is one section with its lines. Classes are those that the
// stylesheet of role pages knows.
type RoleSection struct {
	Kind  string
	Class string // "always", "also", or "i" and the index of the subject
	Rows  []RoleRow
}

// RoleRow is one item of a section.
type RoleRow struct {
	Class  string // "say", "ref" or "back"; "skill" for one; then "m" and the index of each earlier section that says it
	Type   string // "brief" or "skill"
	Path   string
	ID     string // its content on this page, or ""
	Tokens int    // when its content is printed
	Line   int    // when it is a path alone
	Homes  []RoleHome
}

// RoleHome is a section that holds the content of an item, when it is booted.
type RoleHome struct {
	Class string // "of" and the index of the subject, or "always"
	Kind  string
}

// RoleContent is what a boot prints for an item.
type RoleContent struct {
	ID     string
	Path   string
	Tokens int
	Text   string // "" when it is not shown
	Why    string // why not
}

// RoleCard is one role on the start page.
type RoleCard struct {
	URL      string
	Name     string
	Dir      string
	Briefs   int
	Skills   int
	Subjects int
	Tokens   int // the whole boot
	Least    int // the cheapest single usecase; 0 without subjects
}

func (Role) page() string { return "role.html" }

// Report is the page that says what a memory store's hook loaded, what it never
// did, and what it missed (loadout section 24). It holds ids, keywords, counts
// and single words, never the text of a prompt.
type Report struct {
	Frame
	Events    int
	Skipped   int    // lines of the log that were not events
	From, To  string // dates of the first and the last event, "" without one
	Entries   int    // of the index
	Estimated string // tokens of a task, as the index says
	Observed  string // mean tokens of a load; "" when nothing was loaded
	Above     bool   // the observed mean is far above the estimated one
	Loads     []LoadRow
	MoreLoads int // rows that are not shown; so for the other lists
	Dead      []DeadRow
	MoreDead  int
	DeadSum   string // tokens of all dead entries
	Overlaps  []OverlapRow
	MoreOver  int
	Scores    []ScoreRow
	Misses    int // prompts that nothing matched, where that was noted
	Words     []WordRow
	MoreWords int
}

// LoadRow is an entry that was loaded.
type LoadRow struct {
	ID     string
	Times  int
	Width  int // of its bar, 0 to 100
	Tokens string
	Last   string // a date
}

// DeadRow is an entry that never was.
type DeadRow struct{ ID, Tokens string }

// OverlapRow is a keyword of several entries.
type OverlapRow struct {
	Keyword string
	Entries []string
	More    int
}

// ScoreRow is a range of scores and how many loads had one in it.
type ScoreRow struct {
	Label string
	Count int
	Width int // of its bar, 0 to 100
}

// WordRow is a word of prompts that nothing matched.
type WordRow struct {
	Word    string
	Prompts int
	Entry   string // the entry that may lack it as a keyword; "" when none has it in its texts
}

func (Report) page() string { return "report.html" }

// Backlink is a page that links to another one, and the sentence that does, or "".
type Backlink struct {
	Link
	Said string
}

// linked writes pages that link to another one.
func (m *Markup) linked(rows []Backlink) {
	m.Raw("<ul>")
	for _, l := range rows {
		m.Put("<li><a%[href]>%s</a>", l.URL, l.Text)
		if l.Said != "" {
			m.Put("<p>%s", l.Said)
		}
	}
	m.Raw("</ul>")
}

// NotFound is the page that a server shows for an unknown address.
type NotFound struct {
	Frame
	Lost Inline // ours: what the page carries in itself, as it does Look, since it may not find the files of the site
}

func (NotFound) page() string { return "notfound" }

func (v NotFound) write(m *Markup) {
	scripts := v.Script
	v.First, v.Script = Inline{Sum: v.Lost.Sum}, nil // it loads the scripts
	m.head(&v.Frame)
	m.Raw("<main id=s.main class=\"wide lost\">\n<h1>No such page</h1>\n<p class=lede>It may have been renamed or taken out of its pack.</p>\n")
	m.Put("<p><a class=button%[href]>All packs</a> <a class=\"button quiet guess\"%[href]>Search</a></p>\n<div class=near></div>\n</main>\n", v.Root+"index.html", v.Root+"search.html")
	m.foot(&v.Frame)
	if len(v.Lost.Text) > 0 {
		m.Raw("<script")
		m.Attr("data-load", joined(v.Root, scripts))
		m.carried(v.Lost)
	}
}
