// Package wiring says which commands an agent runs: packgen as the prompt hook and as the
// MCP server.
package wiring
