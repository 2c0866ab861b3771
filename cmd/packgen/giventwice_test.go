package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/boot"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// One fault, one wording: a key given twice reads the same in every format that
// people write by hand, JSON included.
func TestAKeyGivenTwiceReadsTheSameEverywhere(t *testing.T) {
	one := func(list []diag.Diagnostic) string {
		if len(list) != 1 {
			t.Fatalf("%v", list)
		}
		return list[0].Message
	}
	_, role := boot.Parse("boot.yml", []byte("briefs: {}\nbriefs: {}\n"))
	_, page := frontmatter.Read([]byte("---\nbriefs: a\nbriefs: b\n---\n"), frontmatter.Options{Path: "a.md"})
	_, suite := eval.ReadContextSuite("context.yaml", []byte("cases: []\ncases: []\n"))
	_, routing := eval.ReadRouting("routing.yaml", []byte("tasks: []\ntasks: []\n"))
	_, lock := schema.DecodeCatalog([]byte("{\"schema_version\":1,\n\"schema_version\":1}"))
	var fault *schema.DecodeError
	if !errors.As(lock, &fault) {
		t.Fatal(lock)
	}
	_, settings := hook.Claude.Uninstall([]byte("{\"hooks\": {},\n\"hooks\": {}}"))
	config, _ := repo.ReadConfig(nil, new(repo.Config), "packgen.yaml", []byte("title: a\ntitle: b\n"))
	for where, message := range map[string]string{
		`"briefs" is given twice; the first is on line 1`:         one(role),
		`"briefs" is given twice; the first is on line 2`:         one(page),
		`"cases" is given twice; the first is on line 1`:          one(suite),
		`"tasks" is given twice; the first is on line 1`:          one(routing),
		`"schema_version" is given twice; the first is on line 1`: fault.Error(),
		`"hooks" is given twice; the first is on line 1`:          settings.Error(),
		`"title" is given twice; the first is on line 1`:          one(config),
	} {
		if !strings.HasSuffix(message, "key "+where) {
			t.Errorf("%q", message)
		}
	}
}
