// Package fetch downloads packs from published sites, artifacts of GitHub Actions and
// GitLab jobs, registries, and addresses of archives. It finds what a reference means
// today (Client.Site, GitHub, GitLab, Registry, URL) and brings its bytes
// (Client.Download); Client.Target writes to a registry. It unpacks nothing. It is
// one package because every question goes through the same bounds, retries and rules
// about where a login may go.
//
// Every answer is bounded: in time (Timeouts), in bytes that really came (Limits),
// in tries (Options.Retries) and in redirects (10 at most). Addresses are https;
// plain http only for the loopback address, or where PACKGEN_ALLOW_HTTP=1 allows
// it, and never by a redirect from https.
//
// Tokens come from GITHUB_TOKEN or GH_TOKEN for the host of GITHUB_API_URL
// (api.github.com), and from GITLAB_TOKEN or CI_JOB_TOKEN for the host of
// CI_API_V4_URL (gitlab.com). A token goes to that scheme, host and port alone, is
// left out for good once a redirect leaves it, and is in no error. Sites and
// registries get the login that package login finds for their host, in the same way; a
// registry may name another server that gives tokens for it, over https, which is how
// registries log in. Proxies come from the environment as in net/http.
//
// No server elsewhere leads to this machine, its link or the metadata of its cloud,
// neither by an address nor by a name.
//
// What a server says is hostile until checked: names and paths of a site's
// catalog stay below its root, a run must belong to the repository itself, and
// its words are printed as one plain, short line.
package fetch
