package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
)

// suggestVerb adds to the error about an unknown command the one that was probably meant:
// one of the same meaning, otherwise one with a similar name.
func suggestVerb(cmd *cobra.Command, err error) error {
	var name string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for", &name); n == 0 || cmd == nil || diag.HintOf(err) != "" {
		return err
	}
	if hint := meanings()[strings.ToLower(name)]; hint != "" && !cmd.HasParent() {
		return diag.WithHint(err, "%s", hint)
	}
	var verbs []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			verbs = append(verbs, c.Name())
		}
	}
	if near := nearestVerb(name, verbs); near != "" {
		return diag.WithHint(err, "did you mean %s?", near)
	}
	return diag.WithHint(err, "run %q for the commands", cmd.CommandPath()+" --help")
}

// minPrefix is the number of letters from which a prefix means a command.
const minPrefix = 3

// nearestVerb returns the command with the most similar name, or the only one that begins
// with it.
func nearestVerb(name string, verbs []string) string {
	if near := nearest.Name(name, verbs); near != "" || len(name) < minPrefix {
		return near
	}
	begin := ""
	for _, verb := range verbs {
		switch {
		case !strings.HasPrefix(verb, strings.ToLower(name)):
		case begin != "":
			return ""
		default:
			begin = verb
		}
	}
	return begin
}

// meanings maps the words that other tools use to the command for the same act.
func meanings() map[string]string {
	const (
		check   = "did you mean check? packgen check finds what is wrong, and packgen check --record checks JSON records"
		publish = "run packgen build for the site to publish, packgen pack for the archive of one pack, or packgen push to write packs to a registry"
		find    = "did you mean resolve? packgen resolve prints what answers a query, packgen match shows which entries a task selects"
		fetch   = "did you mean pull? packgen pull brings packs from elsewhere"
		start   = "did you mean init? packgen init makes a knowledge repository, or with --name NAME adds a pack"
		show    = "did you mean layers? packgen layers lists the entries, packgen activate PACK what a pack holds"
		preview = "did you mean serve? packgen serve shows the site while you write"
		update  = "did you mean lock update? packgen lock update locks what references mean now"
		remove  = "run packgen prune cache or packgen prune runs to remove what is no longer needed"
	)
	return map[string]string{
		"lint": check, "verify-pack": check, "fmt": check, "format": check, "fix": "did you mean check? packgen check --fix fixes what can be fixed safely",
		"publish": publish, "upload": publish, "deploy": publish, "release": publish,
		"search": find, "find": find, "query": find, "ask": find, "grep": find, "get": fetch, "fetch": fetch, "download": fetch, "clone": fetch, "install": fetch, "add": fetch,
		"update": update, "upgrade": update,
		"new": start, "create": start, "start": start, "ls": show, "list": show, "show": show, "status": "did you mean check? packgen check finds what is wrong; without a command the program prints the state of the repository",
		"watch": preview, "dev": preview, "preview": preview, "server": preview,
		"clean": remove, "gc": remove, "remove": remove, "rm": remove,
		"test":  "did you mean eval? packgen eval runs evals and routing goldens, packgen check finds what is wrong",
		"rule":  "did you mean check? packgen check --explain RULE explains a finding",
		"cache": remove, "runs": remove,
		"index": "run packgen build for the index of packs, packgen memory index for that of a MEMORY.md",
		"site":  "run packgen build to write the site, or packgen serve to see it while you write",
		"docs":  "run packgen build to write the site, or packgen serve to see it while you write",
		"role":  "did you mean boot? packgen boot prints what a role says",
	}
}
