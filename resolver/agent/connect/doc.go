// Package connect writes what agents need to ask the packs of a repository: the entry
// of an MCP server, the prompt hook, a block in AGENTS.md. It also takes these out
// again. Everything else in the files stays as it is, to the byte.
package connect
