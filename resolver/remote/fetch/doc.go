// Package fetch downloads packs from published sites, artifacts of GitHub Actions and
// GitLab jobs, and addresses of archives. It finds what a reference means today
// (Client.Site, GitHub, GitLab, URL) and brings its bytes (Client.Download). It unpacks
// nothing.
//
// Every answer is bounded: in time (Timeouts), in bytes that really came (Limits),
// in tries (Options.Retries) and in redirects (MaxRedirects). Addresses are https;
// plain http only for the loopback address, or where PACKGEN_ALLOW_HTTP=1 allows
// it, and never by a redirect from https.
//
// Tokens come from GITHUB_TOKEN or GH_TOKEN for the host of GITHUB_API_URL
// (api.github.com), and from GITLAB_TOKEN or CI_JOB_TOKEN for the host of
// CI_API_V4_URL (gitlab.com). A token goes to that scheme, host and port alone, is
// left out for good once a redirect leaves it, and is in no error. Other
// requests carry none. Proxies come from the environment as in net/http.
//
// What a server says is hostile until checked: names and paths of a site's
// catalog stay below its root, a run must belong to the repository itself, and
// its words are printed as one plain, short line.
package fetch
