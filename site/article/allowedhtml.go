package article

import (
	"strings"
	"sync"
)

// element says how an element of HTML is written.
type element struct {
	as    string // the element on the page
	class string // its class there
	flow  bool   // it may not be in a paragraph
	void  bool   // it has no content
}

// allowed is the closed list of elements.
var allowed = sync.OnceValue(func() map[string]element {
	list := map[string]element{
		"br": {as: "br", void: true}, "wbr": {as: "wbr", void: true}, "img": {as: "img", void: true}, "hr": {as: "hr", flow: true, void: true},
		"strike": {as: "s"}, "tt": {as: "code"}, "p": {as: "div", class: "p", flow: true}, "center": {as: "div", class: "c", flow: true},
	}
	for name := range strings.FieldsSeq("a abbr b cite code del dfn em i ins kbd mark q s samp small span strong sub sup u var") {
		list[name] = element{as: name}
	}
	for name := range strings.FieldsSeq("big font nobr bdi time") {
		list[name] = element{as: "span"}
	}
	for name := range strings.FieldsSeq("details summary div h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre figure figcaption table caption thead tbody tfoot tr td th") {
		list[name] = element{as: name, flow: true}
	}
	for name := range strings.FieldsSeq("section article header footer main nav aside") {
		list[name] = element{as: "div", flow: true}
	}
	return list
})

// inside names the elements that one of the same kind closes: "<li>a<li>b".
var inside = map[string]string{
	"li": "ul ol", "dt": "dl", "dd": "dl", "tr": "table thead tbody tfoot", "td": "tr", "th": "tr",
	"thead": "table", "tbody": "table", "tfoot": "table", "p": "div blockquote li td th dd details figure",
}

// unshown names elements of which pages show the content alone, and unread those whose content
// is not text.
const (
	unshown = " acronym address button canvas col colgroup datalist fieldset form hgroup input label legend link meta meter" +
		" noscript object optgroup option progress rp rt ruby select textarea track "
	unread = " script style svg "
)

// isOf reports a name that is in a list, which has a blank before and after each.
func isOf(list, name string) bool { return strings.Contains(list, " "+name+" ") }
