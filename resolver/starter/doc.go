// Package starter makes a new knowledge repository with one small pack, or adds such
// a pack to a repository that is there. It overwrites nothing.
package starter
