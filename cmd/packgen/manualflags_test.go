package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/oktest"
)

// commandsPage is the page of the manual on verbs and flags. Its tables are made
// from the command tree: the list of all verbs, and below each heading that names
// verbs the flags of these and of the verbs below them.
const commandsPage = "reference/commands.md"

// aTable is a table of a page, by its first header cell.
func aTable(first string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\| ` + first + ` \|.*\n\| --- .*\n(\|.*\n)*`)
}

var aHeading = regexp.MustCompile(`(?m)^## .*\n`)

// headingsOf returns where the headings of a page are; those in fenced blocks are
// text.
func headingsOf(page string) [][]int {
	list := aHeading.FindAllStringIndex(page, -1)
	for _, f := range fences(page) {
		list = slices.DeleteFunc(list, func(h []int) bool { return f.start <= h[0] && h[0] < f.end })
	}
	return list
}

// The tables of verbs and flags are those of the program, and each verb with flags
// of its own has a heading.
func TestManualHasTheFlagsOfEveryVerb(t *testing.T) {
	t.Parallel()
	page := manualPage(t, commandsPage)
	root := newRoot(&app{})
	root.InitDefaultHelpFlag()
	verbs := map[string]*cobra.Command{}
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "help" && cmd.Name() != "completion" {
			verbs[cmd.Name()] = cmd
		}
	}

	var made strings.Builder
	at := 0
	sections := headingsOf(page)
	for i, s := range sections {
		end := len(page)
		if i+1 < len(sections) {
			end = sections[i+1][0]
		}
		if i == 0 {
			made.WriteString(replaceTable(t, page[:s[0]], "Command", verbTable(&app{})))
			at = s[0]
		}
		title, body := strings.TrimSpace(page[s[0]+3:s[1]]), page[at:end]
		at = end
		var table string
		if title == "Flags of every command" {
			table = flagTable([]*cobra.Command{root})
		} else if named := namedVerbs(title, verbs); named != nil {
			table = flagTable(named)
		}
		made.WriteString(replaceTable(t, body, "Flag", table))
	}
	for name := range verbs {
		t.Errorf("no section of %s is about %s", commandsPage, name)
	}
	want := made.String()
	if want == page {
		return
	}
	if !*update {
		t.Fatalf("the tables of %s are not those of the program: go test ./cmd/packgen -run %s -update", commandsPage, t.Name())
	}
	oktest.Check(t, os.WriteFile(filepath.Join(manual, commandsPage), []byte(want), 0o644))
}

// namedVerbs returns the verbs that a heading lists, "eval, diff", and takes them out
// of those that still need one; nil where it lists something else.
func namedVerbs(title string, verbs map[string]*cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, name := range strings.Split(title, ", ") {
		cmd := verbs[name]
		if cmd == nil {
			return nil
		}
		list = append(list, cmd)
	}
	for _, cmd := range list {
		delete(verbs, cmd.Name())
	}
	return list
}

// replaceTable puts a table in place of the one that a section has; an empty table
// takes the place of none.
func replaceTable(t *testing.T, section, first, table string) string {
	t.Helper()
	old := aTable(first).FindStringIndex(section)
	switch {
	case table == "" && old == nil:
		return section
	case table == "":
		return section[:old[0]] + strings.TrimPrefix(section[old[1]:], "\n")
	case old == nil:
		return strings.TrimRight(section, "\n") + "\n\n" + table + "\n"
	}
	return section[:old[0]] + table + section[old[1]:]
}

// verbTable lists all verbs by what a person wants.
func verbTable(a *app) string {
	var b strings.Builder
	b.WriteString("| Command | Does |\n| --- | --- |\n")
	row := func(cmd, does string) { b.WriteString(tableRow(strings.ReplaceAll(cmd, "|", `\|`), does)) }
	row("`packgen`", "report the state of the repository and the next step")
	for _, group := range a.verbs() {
		row("**"+group.title+"**", "")
		for _, cmd := range group.verbs {
			row("`packgen "+strings.TrimSuffix(cmd.Use, " [flags]")+"`", lowerFirst(cmd.Short))
			for _, below := range cmd.Commands() {
				if below.IsAvailableCommand() {
					row("`packgen "+cmd.Name()+" "+below.Use+"`", lowerFirst(below.Short))
				}
			}
		}
	}
	return b.String()
}

// flagRow is a flag that one or several verbs have with the same meaning.
type flagRow struct {
	flag, value, text string
	verbs             []string
}

// flagTable lists the flags of verbs and of the verbs below them; "" when they have
// none. A column says whose each is, where there are several.
func flagTable(cmds []*cobra.Command) string {
	var rows []*flagRow
	leaves := 0
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Runnable() {
			leaves++
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" && cmd.HasParent() || f.Name == "version" {
				return
			}
			row := rowOf(f)
			i := slices.IndexFunc(rows, func(r *flagRow) bool {
				return r.flag == row.flag && r.value == row.value && r.text == row.text
			})
			if i < 0 {
				i = len(rows)
				rows = append(rows, row)
			}
			rows[i].verbs = append(rows[i].verbs, "`"+strings.TrimPrefix(cmd.CommandPath(), "packgen ")+"`")
		})
		if cmd.HasParent() {
			for _, below := range cmd.Commands() {
				if below.IsAvailableCommand() {
					visit(below)
				}
			}
		}
	}
	for _, cmd := range cmds {
		visit(cmd)
	}
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	if leaves == 1 {
		b.WriteString("| Flag | Default | Does |\n| --- | --- | --- |\n")
	} else {
		b.WriteString("| Flag | Of | Default | Does |\n| --- | --- | --- | --- |\n")
	}
	for _, r := range rows {
		if leaves == 1 {
			b.WriteString(tableRow(r.flag, r.value, r.text))
		} else {
			b.WriteString(tableRow(r.flag, strings.Join(r.verbs, ", "), r.value, r.text))
		}
	}
	return b.String()
}

// ownDefault is a default that the text of a flag names, because it is not a value
// that could be typed.
var ownDefault = regexp.MustCompile(` \(default ([^()]*)\)$`)

// rowOf describes a flag as help does.
func rowOf(f *pflag.Flag) *flagRow {
	value, text := pflag.UnquoteUsage(f)
	switch value {
	case "string", "int", "float", "strings", "stringArray":
		value = strings.ToUpper(value)
	}
	r := &flagRow{flag: "`--" + strings.TrimRight(f.Name+" "+value, " ") + "`"}
	if f.Shorthand != "" {
		r.flag = "`-" + strings.TrimRight(f.Shorthand+" "+value, " ") + "`, " + r.flag
	}
	if m := ownDefault.FindStringSubmatch(text); m != nil {
		r.value, text = m[1], strings.TrimSuffix(text, m[0])
	}
	switch f.DefValue {
	case "", "false", "[]", "0", "0s":
	default:
		r.value = "`" + f.DefValue + "`"
	}
	r.text = cellText(text)
	return r
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
