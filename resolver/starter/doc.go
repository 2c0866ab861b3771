// Package starter makes a new knowledge repository with one small pack, or adds such
// a pack to a repository that exists. It overwrites nothing.
package starter
