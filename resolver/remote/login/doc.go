// Package login finds the credentials for a server of packs: a variable of the
// environment, the configurations of Docker and podman with their credential helpers, .netrc.
//
// What is found is for one host. It is never printed, and a helper that hangs is
// given up after 20 seconds.
package login
