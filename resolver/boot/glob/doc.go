// Package glob matches the globs of a boot.yml against the paths of a role
// (boot.yml section 8). It knows nothing of roles: [Compile] reads one glob, and a
// [Matcher] finds the paths that it matches. Globs and paths are hostile input, so
// both work within an allowance that the caller shares out.
package glob
