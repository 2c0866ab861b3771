// Package schema holds the records that packgen writes and reads as JSON: their
// Go types, one encoder, closed decoders and the JSON Schemas that are published
// with a site (agent-knowledge sections 6.7, 6.12, 8 to 12).
package schema
