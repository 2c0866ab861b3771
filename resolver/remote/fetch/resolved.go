package fetch

// Places a pack can come from: values of Resolved.Source.
const (
	SourceSite   = "site"
	SourceGitHub = "github"
	SourceGitLab = "gitlab"
	SourceURL    = "url"
	SourceOCI    = "oci"
)

// Resolved is what a reference means today: one archive, not yet downloaded.
type Resolved struct {
	Source   string // one of the Source constants
	URL      string // of the archive's bytes; never holds a token
	Name     string // of the archive: a pack's name, an artifact's, a job's or a file's
	Digest   string // "sha256:" and 64 hex digits of the archive's bytes, "" when nobody states it
	Size     int64  // bytes of the archive, 0 when nobody states it; binding for SourceSite and SourceOCI, otherwise a hint
	Run      *Run   // the CI run that made it, nil elsewhere
	PackJSON []byte // bytes of the pack.json of a site or registry; nil elsewhere
	OCI      string // digest of the manifest in a registry, "" elsewhere
	Expires  string // when the server will delete it, as it says so; "" when it does not
}

// Run is the CI run that made an archive.
type Run struct {
	ID         int64  // of the workflow run (GitHub) or pipeline (GitLab)
	URL        string // its page, for people
	Branch     string
	Workflow   string // GitHub: file of the workflow; GitLab: name of the job
	Commit     string
	Conclusion string // "success"
	Job        int64  // GitLab: id of the job; 0 on GitHub
	Artifact   int64  // GitHub: id of the artifact; 0 on GitLab
}

// GitHub names an artifact of a repository's workflow runs.
type GitHub struct {
	Owner, Repo, Artifact string
	Branch                string // "" means the default branch, or any where Run is set
	Workflow              string // file name, path or name of the workflow; "" means any
	Run                   int64  // take this run's artifact; 0 means the newest run that fits
}

// GitLab names the artifacts archive of a project's job.
type GitLab struct {
	Project string // group/sub/project
	Job     string // name of the job
	Ref     string // branch or tag; "" means the default branch
	JobID   int64  // take this job, which must be Job of the project; 0 means the newest that fits
}
