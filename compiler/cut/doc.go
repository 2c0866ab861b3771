// Package cut cuts a parsed document or page into the sections that become its
// splits (agent-knowledge sections 6.3 and 6.4): where each begins and ends, its
// id, its title and its size. Sections are slices of the file in order; they do
// not overlap, and what is between them says nothing. It reads nothing but
// the parsed file.
package cut
