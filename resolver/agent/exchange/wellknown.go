package exchange

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/repo"
)

// wellKnown is where agents look for the skills of a site, below its root.
const wellKnown = ".well-known/agent-skills/"

// discovery is the schema of the list of skills.
const discovery = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

// offered is a skill in the list of a site. Its address is relative to the list, so that
// a site may be published below any path.
type offered struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description"`
	URL         string `json:"url"`
	Digest      string `json:"digest"`
}

// Published makes the skills of a site: the list, for each pack its skill, and an archive
// of it where it has more than one file. Paths are below the root of the site.
func Published(members []*repo.Member) (files []File, found []diag.Diagnostic, err error) {
	list := struct {
		Schema string    `json:"$schema"`
		Skills []offered `json:"skills"`
	}{discovery, []offered{}}
	names := map[string]string{}
	for _, m := range members {
		if m.Pack == nil || m.Pack.Meta.Status == schema.Archived {
			continue
		}
		s, err := open(m, &found)
		if err != nil {
			return nil, nil, err
		}
		s.public = true
		name := skillName(m.Pack.Meta.Name)
		if s.left[pack.EntryName] {
			continue
		}
		if other, taken := names[name]; taken {
			s.report(takenID, diag.Warning, pack.EntryName, "rename one of them", "%q is the name that the pack %s gets too: the site offers that one alone", name, other)
			continue
		}
		names[name] = m.Pack.Meta.Name
		skill, err := s.skill(name)
		if err != nil {
			return nil, nil, fmt.Errorf("make the skill of %s: %w", m.Pack.Meta.Name, err)
		}
		h, _ := readHead(skill[0].Data)
		o := offered{Name: name, Type: "skill-md", Description: h.text("description"), URL: name + "/" + skillFile}
		data := skill[0].Data
		if len(skill) > 1 {
			if data, err = archived(skill); err != nil {
				return nil, nil, fmt.Errorf("make the skill of %s: %w", m.Pack.Meta.Name, err)
			}
			o.Type, o.URL = "archive", name+".tar.gz"
			files = append(files, File{Path: wellKnown + o.URL, Data: data})
		}
		o.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256(data))
		for _, f := range skill {
			files = append(files, File{Path: wellKnown + name + "/" + f.Path, Data: f.Data})
		}
		list.Skills = append(list.Skills, o)
	}
	for i := range found {
		if found[i].ID == markedID {
			found[i].Severity = diag.Info // the compile has warned
		}
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return nil, nil, fmt.Errorf("list the skills: %w", err)
	}
	text = []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text)))
	return append(files, File{Path: wellKnown + "index.json", Data: append(text, '\n')}), found, nil
}

// archived packs the files of a skill, which the root of the archive has.
func archived(files []File) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: int64(len(f.Data)), Mode: 0o644, ModTime: time.Unix(0, 0)}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := errors.Join(t.Close(), z.Close())
	return b.Bytes(), err
}
