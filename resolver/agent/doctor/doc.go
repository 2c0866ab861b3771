// Package doctor looks at each link of the chain from packs and memories to an agent, and
// says what is wrong with it and what to do: the repository, the store, the published
// index, the layers, the connected agents, the hook and how long it takes, the MCP server,
// the usage log, the matcher and the site.
package doctor
