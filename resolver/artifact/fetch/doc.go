// Package fetch talks to the places packs come from: published sites, GitHub
// Actions artifacts, GitLab job artifacts. It finds what a reference means today
// (Resolve) and brings its bytes (Download): bounded in time, size and tries, with
// tokens that reach only the host they belong to.
package fetch
