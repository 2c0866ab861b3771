package templates

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
