package remote

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

func (r *Ref) parseGitHub(rest string) error {
	parts, query, err := splitCI(rest, githubForm, "branch", "workflow", "run")
	if err != nil {
		return err
	}
	if len(parts) != 3 {
		return refused("write "+githubForm, "it needs an owner, a repository and an artifact, no more and no less")
	}
	if err := checkSlugs(parts[:2], githubForm); err != nil {
		return err
	}
	if strings.Contains(parts[2], "/") {
		return refused("write "+githubForm, "%q is not an artifact name", shorten(parts[2]))
	}
	r.Kind = GitHub
	r.GitHub = fetch.GitHub{Owner: parts[0], Repo: parts[1], Artifact: parts[2], Branch: query["branch"], Workflow: query["workflow"]}
	if text := query["run"]; text != "" {
		run, err := strconv.ParseInt(text, 10, 64)
		if err != nil || run <= 0 || strconv.FormatInt(run, 10) != text {
			return refused("use the number in the address of the run's page", "run=%s is not a run number", shorten(text))
		}
		r.GitHub.Run = run
	}
	return nil
}

func (r *Ref) parseGitLab(rest string) error {
	parts, query, err := splitCI(rest, gitlabForm, "ref")
	if err != nil {
		return err
	}
	last := len(parts) - 1
	if last < 2 {
		return refused("write "+gitlabForm, "it needs a group, a project and a job")
	}
	if err := checkSlugs(parts[:last], gitlabForm); err != nil {
		return err
	}
	r.Kind = GitLab
	r.GitLab = fetch.GitLab{Project: strings.Join(parts[:last], "/"), Job: parts[last], Ref: query["ref"]}
	return nil
}

// splitCI cuts //a/b/c?x=y into its names and parameters, both decoded.
func splitCI(rest, form string, keys ...string) (parts []string, query map[string]string, err error) {
	rest, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return nil, nil, refused("write "+form, "// is missing after the scheme")
	}
	names, parameters, asked := strings.Cut(rest, "?")
	for part := range strings.SplitSeq(names, "/") {
		part, err := decodeName(part, form)
		if err != nil {
			return nil, nil, err
		}
		parts = append(parts, part)
	}
	query = map[string]string{}
	if !asked {
		return parts, query, nil
	}
	for pair := range strings.SplitSeq(parameters, "&") {
		key, value, ok := strings.Cut(pair, "=")
		if !slices.Contains(keys, key) {
			hint := "write one of " + strings.Join(keys, ", ")
			if near := nearestOf(key, keys); near != "" {
				hint = fmt.Sprintf("did you mean %s=?", near)
			}
			return nil, nil, refused(hint, "unknown parameter %q", shorten(key))
		}
		if _, twice := query[key]; twice {
			return nil, nil, refused("write it once", "%s= is given twice", key)
		}
		if value, err = decodeName(value, form); err != nil || !ok {
			return nil, nil, refused("write "+key+"=VALUE, or leave it out", "%s= has no value that can be read", key)
		}
		query[key] = value
	}
	return parts, query, nil
}

// decodeName decodes a name that is written as in a URL.
func decodeName(text, form string) (string, error) {
	name, err := url.PathUnescape(text)
	switch {
	case err != nil:
		return "", refused("write a % as %25", "%q cannot be decoded", shorten(text))
	case name == "":
		return "", refused("write "+form, "a name in it is empty")
	case name == "." || name == ".." || strings.Contains("/"+name+"/", "/../") || !isPrintable(name) || len(name) > maxName:
		return "", refused("write "+form, "%q is not a name", shorten(text))
	}
	return name, nil
}

// checkSlugs checks names of owners, groups and repositories, which both systems
// make of few characters.
func checkSlugs(names []string, form string) error {
	for _, name := range names {
		for _, c := range name {
			if c|0x20 < 'a' || c|0x20 > 'z' {
				if !strings.ContainsRune("0123456789-_.", c) {
					return refused("write "+form, "%q is not the name of an owner, group or repository", shorten(name))
				}
			}
		}
	}
	return nil
}

// nearestOf returns the candidate that a wrong word is nearest to, "" when none
// is near.
func nearestOf(word string, candidates []string) string {
	if len(word) > maxName {
		return ""
	}
	return nearest.Within(word, candidates, max(2, len(word)/2))
}
