// Package article renders the Markdown of a pack as the HTML of an article, so that
// nothing a pack holds can do more on a page than show text and pictures.
//
// It works on the tree that a compile made of a file and knows no other page: in place of
// what depends on others, the opening tags of links and pictures, it leaves a
// [Placeholder], which [Fill] replaces when the page is put together. So an article is
// made once, with its file, and a page again only where its links lead elsewhere.
//
// HTML in Markdown is read tag by tag and written again, from a closed list of elements
// and attributes; everything else is shown as the text it is. It is one package because
// the forms of all systems are parts of one tree, which one renderer writes.
package article
