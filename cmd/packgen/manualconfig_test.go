package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// keysOf returns the keys that the configuration reader takes in a section; "" is
// the top level. The reader names them when it meets another one.
func keysOf(t *testing.T, section string) []string {
	t.Helper()
	texts := []string{"quite_another: x\n"}
	if section != "" { // a mapping, or a list of them
		texts = []string{section + ":\n  quite_another: x\n", section + ":\n  - quite_another: x\n"}
	}
	for _, text := range texts {
		c := repo.DefaultConfig()
		faults, _ := repo.ReadConfig(nil, &c, "packgen.yaml", []byte(text))
		for _, d := range faults {
			if list, ok := strings.CutPrefix(d.Hint, "write one of "); ok {
				return strings.Split(list, ", ")
			}
		}
	}
	return nil
}

// configurationPage is the page of the manual on packgen.yaml. The table below the
// heading of a section is made from the tags of the type that the section is read
// into.
const configurationPage = "reference/configuration.md"

// Every key that the reader takes, and no other, has a row, made from the types; the
// example of the page is taken as it is.
func TestManualHasEveryConfigurationKey(t *testing.T) {
	page := manualPage(t, configurationPage)
	tables := map[string]string{}
	got := settingTables(reflect.ValueOf(repo.DefaultConfig()), "", tables)
	var want []string
	for _, key := range keysOf(t, "") {
		below := keysOf(t, key)
		if below == nil {
			want = append(want, key)
		}
		for _, name := range below {
			want = append(want, key+"."+name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("the types name\n%q\nand the reader takes\n%q", got, want)
	}
	made := page
	for section, table := range tables {
		heading := "### " + cmp.Or(section, "Top-level keys") + "\n"
		before, after, ok := strings.Cut(made, "\n"+heading)
		if !ok {
			t.Errorf("%s has no %q", configurationPage, strings.TrimSpace(heading))
			continue
		}
		body, rest := after, ""
		if next := regexp.MustCompile("(?m)^##").FindStringIndex(after); next != nil {
			body, rest = after[:next[0]], after[next[0]:]
		}
		made = before + "\n" + heading + replaceTable(t, body, "Key", table) + rest
	}
	c := repo.DefaultConfig()
	if faults, _ := repo.ReadConfig(nil, &c, "packgen.yaml", []byte(packgentest.Blocks(page, "yaml")[0])); len(faults) > 0 {
		t.Errorf("the example has faults: %v", faults)
	}
	if made == page {
		return
	}
	if !*update {
		t.Fatalf("the tables of %s are not those of the types: go test ./cmd/packgen -run %s -update", configurationPage, t.Name())
	}
	oktest.Check(t, os.WriteFile(filepath.Join(manual, configurationPage), []byte(made), 0o644))
}

// settingTables makes the table of a section, and of each section in it, from the
// tags of its type, and returns all keys.
func settingTables(section reflect.Value, name string, tables map[string]string) []string {
	var keys []string
	var b strings.Builder
	b.WriteString("| Key | Type | Default | Meaning |\n| --- | --- | --- | --- |\n")
	for i, of := 0, section.Type(); i < of.NumField(); i++ {
		field, value := of.Field(i), section.Field(i)
		key := field.Tag.Get("key")
		switch {
		case key == "":
		case field.Type.Kind() == reflect.Struct:
			keys = append(keys, settingTables(value, key, tables)...)
		case field.Type.Kind() == reflect.Slice && field.Type.Elem().Kind() == reflect.Struct:
			keys = append(keys, settingTables(reflect.Zero(field.Type.Elem()), key, tables)...)
		default:
			if name != "" {
				key = name + "." + key
			}
			keys = append(keys, key)
			b.WriteString(tableRow("`"+key+"`", asCode(field.Tag.Get("is")), cmp.Or(asCode(field.Tag.Get("or")), defaultOf(value)), asCode(field.Tag.Get("doc"))))
		}
	}
	tables[name] = b.String()
	return keys
}

// defaultOf writes the value that a key has when it is left out.
func defaultOf(v reflect.Value) string {
	list, ok := v.Interface().([]string)
	switch {
	case ok && len(list) > 0:
		return "`" + strings.Join(list, "`, `") + "`"
	case v.Kind() == reflect.Bool || !v.IsZero():
		return fmt.Sprintf("`%v`", v)
	}
	return "none"
}

// quotedCode is code in the text of a tag, which cannot hold a backtick. An apostrophe
// comes after a letter.
var quotedCode = regexp.MustCompile("(^|[ (])'([^']+)'")

func asCode(text string) string { return quotedCode.ReplaceAllString(text, "$1`$2`") }
