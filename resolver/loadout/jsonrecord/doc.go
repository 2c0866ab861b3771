// Package jsonrecord encodes structs with tags in which JSON of the kernel stays as it is,
// lone surrogates included. It is apart from package json because the prompt hook, which
// must start at once, does without encoding/json.
package jsonrecord
