package site

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/templates"
)

// roleSite generates a site with one pack and the given roles. Base is its
// address, or "".
func roleSite(t *testing.T, base string, roles map[string]files) made {
	t.Helper()
	var in []Role
	for name, content := range roles {
		fsys := fstest.MapFS{}
		for path, text := range content {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		role := oktest.Value(boot.OpenFS(fsys, boot.OpenOptions{Name: "roles/" + name}))(t)
		in = append(in, Role{Name: name, Dir: "roles/" + name, Role: role})
	}
	return generateWith(t, Options{BaseURL: base}, map[string]files{"kettle": kettle}, func(i *Input) { i.Roles = in })
}

// mech is a role with what its page has to tell apart: content said twice, a ref
// of what is said elsewhere, a mention of always, and a file nobody names.
var mech = files{
	"boot.yml": `always: {briefs: {say: [tone.md]}}
subject.test: {briefs: {say: [bdd.md, shared.md, tone.md]}}
subject.code: {briefs: {say: [shared.md], ref: [bdd.md]}, skills: {say: [go.sh]}}
`,
	"briefs/tone.md": "Write plainly.\n", "briefs/bdd.md": "Given, when, then.\n", "briefs/shared.md": "Shared <b>by</b> two.\n",
	"briefs/spare.md": "Spare.\n", "skills/go.sh": "#!/bin/sh\necho go\n",
}

func TestRolePageHoldsEveryChoice(t *testing.T) {
	m := roleSite(t, "", map[string]files{"mech": mech})
	const page = "roles/mech/index.html"
	// The table of costs: all, each alone, and without boot.yml; then pairs.
	m.has(page, `<a href="boot.txt">every subject</a>`)
	m.has(page, `<a href="boot-1.txt">test</a>`)
	m.has(page, `<td>without boot.yml`)
	// What the script finds a price by does not depend on what subjects are called.
	m.has(page, `<tr data-choice="all"><td><a href="boot.txt">every subject</a>`)
	m.has(page, `<tr data-choice="1"><td><a href="boot-2.txt">code</a>`)
	m.has(page, `<tr data-choice="0 1">`)
	// One checkbox for each subject, chosen without a script.
	m.has(page, `<input type="radio" name="what" id="s.all" value="all" checked>`)
	m.has(page, `<input type="checkbox" id="s.u1" value="1">`)
	// What a line is depends on the sections before it.
	m.has(page, `<section class="sec i0"><h3>subject.test</h3>`)
	m.has(page, `<li class="say m0"><span class="kind full">brief</span><span class="kind path">ref</span> <a href="#b2">briefs/shared.md</a> <em>(as mentioned earlier in <i class="of of0">subject.test</i>)</em>`)
	m.has(page, `<li class="ref m0">`)
	m.has(page, `<li class="back">`)
	m.has(page, `<i class="of always">always</i>`)
	m.has(page, `<section class="sec also"><h3>also</h3>`)
	// Each content is on the page once, as text.
	m.has(page, `<pre id="b2">Shared &lt;b&gt;by&lt;/b&gt; two.`)
	if n := strings.Count(m.text(page), "Given, when, then."); n != 1 {
		t.Errorf("a content stands on the page %d times", n)
	}
	m.crawl()
}

func TestRoleBootsArePublishedAsAnAgentGetsThem(t *testing.T) {
	m := roleSite(t, "", map[string]files{"mech": mech})
	m.has("roles/mech/boot.txt", "<brief path=\"roles/mech/briefs/tone.md\">\nWrite plainly.\n</brief>")
	m.has("roles/mech/boot.txt", "<also>\n  <ref path=\"roles/mech/briefs/spare.md\"/>\n</also>")
	m.hasNot("roles/mech/boot-1.txt", "<skill")
	m.has("roles/mech/boot-2.txt", "echo go")
}

func TestRolesAreFoundFromTheRoot(t *testing.T) {
	m := roleSite(t, "https://example.org/", map[string]files{"mech": mech})
	m.has("index.html", `<a href="roles/mech/index.html">mech</a>`)
	m.has("llms.txt", "- [mech: usecase test](https://example.org/roles/mech/boot-1.txt): ")
	m.has("sitemap.xml", "<loc>https://example.org/roles/mech/</loc>")
	none := roleSite(t, "", nil)
	none.hasNot("index.html", "Roles")
	none.hasNot("llms.txt", "Roles")
}

func TestRoleWithoutSubjectsHasNoPicker(t *testing.T) {
	m := roleSite(t, "", map[string]files{
		"all":    {"briefs/a.md": "Everything.\n"},
		"simple": {"boot.yml": "briefs: {say: [a.md]}\n", "briefs/a.md": "a\n", "briefs/b.md": "b\n"},
		"empty":  {"boot.yml": "always: {}\n"},
	})
	for _, page := range []string{"roles/all/index.html", "roles/simple/index.html", "roles/empty/index.html"} {
		m.hasNot(page, `class="pick"`)
	}
	m.has("roles/all/index.html", "Everything.")
	m.has("roles/simple/index.html", `<span>briefs/b.md</span>`)
	m.crawl()
}

func TestRoleWithManySubjectsIsListedWhole(t *testing.T) {
	role := files{"briefs/a.md": "a\n"}
	for i := range maxPicked + 1 {
		role["boot.yml"] += fmt.Sprintf("subject.s%d: {briefs: {say: [a.md]}}\n", i)
	}
	m := roleSite(t, "", map[string]files{"many": role})
	m.hasNot("roles/many/index.html", `class="pick"`)
	m.has("roles/many/index.html", `<h3>subject.s16</h3>`)
	m.hasNot("roles/many/index.html", `class="say m`)
	m.crawl()
}

func TestRoleTextIsShownNotRun(t *testing.T) {
	const bad = `<script>alert(1)</script>`
	m := roleSite(t, "", map[string]files{"x": {
		"boot.yml":    "'subject.<script>alert(2)</script>': {briefs: {say: ['**']}}\n",
		"briefs/x.md": bad + "\n", `briefs/<img src=x onerror=alert(3)>.md`: "y\n",
	}})
	for _, path := range []string{"roles/x/index.html", "index.html"} {
		m.hasNot(path, "<script>alert")
		m.hasNot(path, "<img src=x")
	}
	m.crawl()
}

func TestRoleNamesAreEncoded(t *testing.T) {
	m := roleSite(t, "", map[string]files{`odd #?%20 "name" <i>`: {"briefs/x.md": "x\n"}})
	m.has("index.html", `<a href="roles/odd%20%23%3F%2520%20%22name%22%20%3Ci%3E/index.html">`)
	m.has("llms.txt", "(roles/odd%20%23%3F%2520%20%22name%22%20%3Ci%3E/boot.txt)")
	m.hasNot(`roles/odd #?%20 "name" <i>/index.html`, "<i>/")
}

func TestSecretsOfARoleStayOffTheSite(t *testing.T) {
	const secret = "AKIA" + "Z7QF3MKT5WXL2PBV"
	m := roleSite(t, "", map[string]files{"x": {"briefs/x.md": "aws_access_key_id = " + secret + "\n", "briefs/y.md": "Fine.\n"}})
	for path, data := range m.files {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the secret", path)
		}
	}
	m.has("roles/x/index.html", "looks like a secret")
	m.has("roles/x/index.html", "Fine.")
	if _, there := m.files["roles/x/boot.txt"]; there {
		t.Error("a boot that says a secret is published")
	}
	if len(m.out.Diagnostics) == 0 {
		t.Error("the secret is not reported")
	}
}

// A role that does not boot has a page that says why.
func TestBrokenRole(t *testing.T) {
	m := roleSite(t, "", map[string]files{"x": {"boot.yml": "briefs: {}\nalways: {}\n", "briefs/x.md": "x\n"}})
	m.has("roles/x/index.html", "This role does not boot.")
	m.has("roles/x/index.html", "boot-mode-mixed")
	m.crawl()
}

// The page's own rules agree with the boot: for every choice of usecases, what
// the classes of its lines say is what the boot prints.
func TestPickerAgreesWithTheBoot(t *testing.T) {
	fsys := fstest.MapFS{}
	for path, text := range mech {
		fsys[path] = &fstest.MapFile{Data: []byte(text)}
	}
	role, err := boot.OpenFS(fsys, boot.OpenOptions{})
	oktest.Check(t, err)
	p := &rolePage{Role: Role{Role: role}, subjects: role.Subjects(), contents: map[string]string{}}
	if p.report, p.choices, err = role.Survey(context.Background(), p.selections()); err != nil {
		t.Fatal(err)
	}
	sections := p.sections(true)
	for bits := range 1 << len(p.subjects) {
		set := p.chosen(bits)
		if len(set) == 0 {
			continue
		}
		res, err := role.Boot(context.Background(), boot.Options{Usecases: set})
		oktest.Check(t, err)
		var want, got strings.Builder
		for _, s := range res.Sections {
			for _, item := range s.Items {
				fmt.Fprintln(&want, s.Kind, item.Type, item.Path, item.Of)
			}
		}
		for _, s := range sections {
			for _, row := range s.Rows {
				if line, shown := shownRow(s, row, bits); shown {
					fmt.Fprintln(&got, line)
				}
			}
		}
		if sorted(got.String()) != sorted(want.String()) {
			t.Errorf("%v: the page shows\n%s\nthe boot prints\n%s", set, got.String(), want.String())
		}
	}
}

// shownRow does what role.css does with a line.
func shownRow(s templates.RoleSection, row templates.RoleRow, bits int) (string, bool) {
	chosen := func(class, prefix string) bool {
		var i int
		n, _ := fmt.Sscanf(class, prefix+"%d", &i)
		return n == 1 && bits>>i&1 == 1
	}
	if s.Class != "always" && !chosen(s.Class, "i") {
		return "", false
	}
	classes := strings.Fields(row.Class)
	form := map[string]string{"say": row.Type, "ref": "ref", "back": "mention"}[classes[0]]
	for _, c := range classes[1:] {
		if chosen(c, "m") {
			form = "mention"
		}
	}
	home := ""
	if form == "mention" {
		for _, h := range row.Homes {
			if h.Class == "always" || chosen(h.Class, "of") {
				home = h.Kind
				break
			}
		}
	}
	return strings.Join([]string{s.Kind, form, row.Path, home}, " "), true
}

// sorted orders the lines of a text: their order within a section is the
// stylesheet's.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
