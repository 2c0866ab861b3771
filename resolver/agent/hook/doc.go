// Package hook is the prompt hook: it reads the event of a submitted prompt and
// answers with pointers to the memories, rules and packs that fit, or with their
// text (loadout section 21). It also wires the hook into the settings of an agent.
//
// The hook runs on every prompt, so it never disturbs one: whatever is wrong, it
// says nothing, and it ends within its time limit.
package hook
