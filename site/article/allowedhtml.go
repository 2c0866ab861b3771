package article

// element says how an element of HTML is written.
type element struct {
	as    string // the element on the page
	class string // its class there
	flow  bool   // it may not be in a paragraph
	void  bool   // it has no content
}

// allowed is the closed list of elements.
var allowed = map[string]element{
	"a": {as: "a"}, "abbr": {as: "abbr"}, "b": {as: "b"}, "cite": {as: "cite"}, "code": {as: "code"},
	"del": {as: "del"}, "dfn": {as: "dfn"}, "em": {as: "em"}, "i": {as: "i"}, "ins": {as: "ins"}, "kbd": {as: "kbd"},
	"mark": {as: "mark"}, "q": {as: "q"}, "s": {as: "s"}, "samp": {as: "samp"}, "small": {as: "small"}, "span": {as: "span"},
	"strike": {as: "s"}, "strong": {as: "strong"}, "sub": {as: "sub"}, "sup": {as: "sup"}, "tt": {as: "code"}, "u": {as: "u"},
	"var": {as: "var"}, "big": {as: "span"}, "font": {as: "span"}, "nobr": {as: "span"}, "bdi": {as: "span"}, "time": {as: "span"},
	"br": {as: "br", void: true}, "wbr": {as: "wbr", void: true}, "img": {as: "img", void: true},
	"hr":      {as: "hr", flow: true, void: true},
	"details": {as: "details", flow: true}, "summary": {as: "summary", flow: true},
	"div": {as: "div", flow: true}, "p": {as: "div", class: "p", flow: true}, "center": {as: "div", class: "c", flow: true},
	"section": {as: "div", flow: true}, "article": {as: "div", flow: true}, "header": {as: "div", flow: true},
	"footer": {as: "div", flow: true}, "main": {as: "div", flow: true}, "nav": {as: "div", flow: true}, "aside": {as: "div", flow: true},
	"h1": {as: "h1", flow: true}, "h2": {as: "h2", flow: true}, "h3": {as: "h3", flow: true},
	"h4": {as: "h4", flow: true}, "h5": {as: "h5", flow: true}, "h6": {as: "h6", flow: true},
	"ul": {as: "ul", flow: true}, "ol": {as: "ol", flow: true}, "li": {as: "li", flow: true},
	"dl": {as: "dl", flow: true}, "dt": {as: "dt", flow: true}, "dd": {as: "dd", flow: true},
	"blockquote": {as: "blockquote", flow: true}, "pre": {as: "pre", flow: true},
	"figure": {as: "figure", flow: true}, "figcaption": {as: "figcaption", flow: true},
	"table": {as: "table", flow: true}, "caption": {as: "caption", flow: true}, "thead": {as: "thead", flow: true},
	"tbody": {as: "tbody", flow: true}, "tfoot": {as: "tfoot", flow: true}, "tr": {as: "tr", flow: true},
	"td": {as: "td", flow: true}, "th": {as: "th", flow: true},
}

// inside names the elements that one of the same kind closes: "<li>a<li>b".
var inside = map[string]string{
	"li": "ul ol", "dt": "dl", "dd": "dl", "tr": "table thead tbody tfoot", "td": "tr", "th": "tr",
	"thead": "table", "tbody": "table", "tfoot": "table", "p": "div blockquote li td th dd details figure",
}

// unshown names elements of which pages show the content alone.
var unshown = map[string]bool{
	"acronym": true, "address": true, "button": true, "canvas": true, "col": true, "colgroup": true, "datalist": true,
	"fieldset": true, "form": true, "hgroup": true, "input": true, "label": true, "legend": true, "link": true, "meta": true,
	"meter": true, "noscript": true, "object": true, "optgroup": true, "option": true, "progress": true, "rp": true, "rt": true,
	"ruby": true, "select": true, "textarea": true, "track": true,
}

// unread names elements whose content is not text.
var unread = map[string]bool{"script": true, "style": true, "svg": true}
