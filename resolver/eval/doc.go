// Package eval measures how well packs are found: it runs the queries, prompts and
// tasks that a pack's authors wrote against the resolver and the matcher, and compares
// the routing of two builds.
package eval
