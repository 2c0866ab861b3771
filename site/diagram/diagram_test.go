package diagram

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/packgen/packgen/templates"
)

func drawn(source string) (string, bool) {
	var m templates.Markup
	ok := Draw(&m, source)
	return string(m.B), ok
}

// What is drawn, with pieces of the drawing; and what stays text.
func TestDiagramsThatAreKnownAreDrawn(t *testing.T) {
	for source, want := range map[string][]string{
		"graph TD; A-->B": {">A</text>", ">B</text>", "class=head"},
		"%%{init: {}}%%\nflowchart LR\n  %% comment\n  A[\"a (b) <br/> c\"] -->|yes| B{why?}\n  style A fill:#f00\n": {">a (b)</text>", ">c</text>", ">yes</text>", ">why?</text>"},
		"graph\nA & B --> C & D": {">D</text>"},
		"graph LR\nA -- some text --> B == more ==> C -. last .-> D --- E":                                              {">some text</text>", ">more</text>", ">last</text>", `class="line thick"`, `class="line dotted"`},
		"graph RL\nA<-->B\nB --x C --o D ~~~ E":                                                                         {">E</text>"},
		"graph BT\nA([s])-->B[[r]]-->C[(d)]-->D((o))-->E>f]-->F{{h}}-->G[/p/]-->H(r)":                                   {"<rect", "<path"},
		"flowchart TB\nsubgraph one [First part]\na-->b\nend\nsubgraph two\ndirection LR\nc-->d\nend\none-->two\nb-->c": {">First part</text>", ">two</text>"},
		"graph TD\nA-->A\nA-->B-->A":                                                                                    {">A</text>"},
		"graph TD\nA[<script>alert(1)</script>] --> B[\"<img src=x>\"]":                                                 {"&lt;script&gt;", "&lt;img src=x&gt;"},
		"graph TD\nclick A \"javascript:alert(1)\"\nA-->B:::big\nclassDef big x":                                        {">B</text>"},
		"sequenceDiagram\nA->>B: Hello\nB-->>A: Hi":                                                                     {">Hello</text>", ">Hi</text>", `class="line dotted"`},
		"sequenceDiagram\nautonumber\nparticipant A as Ann\nactor B\nNote over A,B: both\nloop daily\nA->>+A: self\nalt x\nA-xB: no\nelse y\nB-)A: z\nend\nend": {">Ann</text>", ">both</text>", ">loop [daily]</text>", ">1. self</text>", ">[y]</text>"},
		"---\ntitle: x\n---\ngraph TD\nA-->B": {">A</text>"},
		"stateDiagram-v2\n[*] --> Still\nStill --> Moving : push\nMoving --> [*]\nstate Moving {\n[*] --> Slow\nSlow --> Fast\n}\nstate \"Out of order\" as Broken\nStill --> Broken\nBroken : call us\nstate c <<choice>>\nstate f <<fork>>\nBroken --> c\nc --> f\nnote right of Still : waits\nnote left of Broken\nfirst\nsecond\nend note\n": {
			">Still</text>", ">push</text>", ">Slow</text>", ">Out of order</text>", ">call us</text>", ">waits</text>", ">second</text>", "class=note", "class=frame",
		},
		"stateDiagram\ndirection LR\nA:::big --> B:::big : go\nclassDef big fill:#f00\ns1 : one\ns1 : two\nA": {">go</text>", ">one</text>", ">two</text>"},
		"classDiagram\nAnimal <|-- Duck : is a\nclass Duck~T~ {\n<<interface>>\n+String beak\n+swim(List~int~ x) bool\n}\nAnimal : +int age\nPond \"1\" *-- \"many\" Duck\nPond ..> Water\nnote for Pond \"wet\"\nnamespace Far {\nclass Sea\n}\nclass `a b`[\"Shown\"]\nclass Empty {}": {
			">Animal</text>", ">is a</text>", ">«interface»</text>", ">+String beak</text>", ">+swim(List&lt;int&gt; x) bool</text>", ">Duck&lt;T&gt;</text>", ">+int age</text>",
			">1</text>", ">many</text>", "class=hollow", ">wet</text>", ">Far</text>", ">Shown</text>", `class="line dotted"`, ">Empty</text>",
		},
		"erDiagram\nCUSTOMER ||--o{ ORDER : places\nORDER }|..|{ LINE-ITEM : \"is made of\"\np[Person] |o--o| \"two words\" : x\nCUSTOMER {\nstring name PK, FK \"who\"\nint age\n}": {
			">CUSTOMER</text>", ">places</text>", ">LINE-ITEM</text>", ">is made of</text>", ">Person</text>", ">two words</text>", ">PK, FK</text>", ">who</text>", ">age</text>",
		},
		"pie showData title Pets\n\"Dogs\" : 386\n\"Cats\" : 85.9\n\"<p>\": 15":                                               {">Pets</text>", ">Dogs 79% [386]</text>", ">Cats 18% [85.9]</text>", ">&lt;p&gt; 3% [15]</text>", "<circle"},
		"mindmap\n  root((Tea))\n    Kinds\n      green[Green tea]\n      ::icon(fa fa-leaf)\n      Black:::x\n\tb))Bang((\n": {">Tea</text>", ">Green tea</text>", ">Black</text>", ">Bang</text>", "class=line"},
		"gitGraph\ncommit\ncommit id: \"first\" tag: \"v1\"\nbranch new order: 2\ncheckout new\ncommit msg: \"more work\"\nswitch main\nmerge new tag: \"v2\"\ncherry-pick id: \"x\"": {
			">1</text>", ">first</text>", ">v1</text>", ">new:</text>", ">more work</text>", ">merge</text>", ">v2</text>", `class="line dotted"`,
		},
		"timeline\n title Long ago\n section Old\n 1900 : Bread : Tea <b>\n      : Soup\n 1950 : Tin": {">Long ago</text>", ">Old</text>", ">1900</text>", ">Tea</text>", ">Soup</text>", ">Tin</text>"},
		"journey\ntitle Day\nsection Go\nMake tea: 5: Me, Cat\nSit: 1\nsection Home\nRest: 3: Me":     {">Day</text>", ">Make tea</text>", ">5 of 5</text>", ">Me, Cat</text>", ">1 of 5</text>", ">Home</text>"},
		"kanban\n  todo[To do]\n    a[Write]@{ assigned: 'x' }\n    Read\n  Done\n    c[Sleep]":       {">To do</text>", ">Write</text>", ">Read</text>", ">Done</text>", ">Sleep</text>"},
		"gantt\ntitle Plan\ndateFormat YYYY-MM-DD\naxisFormat %d\nsection One\nFirst :done, a, 2024-01-01, 30d\nNext :after a, 2w\nThen :crit, 3d\nEnd :milestone, m, 2024-03-01, 0d": {
			">Plan</text>", ">One</text>", ">First</text>", ">2024-01-01</text>", ">2024-03-01</text>", "swatch s2", "swatch s4",
		},
		"pie\ntitle x\n\"a\": 0\n\"b\": 999999999.999999": {">a 0%</text>", ">b 100%</text>"},
	} {
		got, ok := drawn(source)
		if !ok {
			t.Errorf("not drawn:\n%s", source)
		}
		for _, piece := range want {
			if !strings.Contains(got, piece) {
				t.Errorf("%q is not in\n%s\nof\n%s", piece, got, source)
			}
		}
		if strings.Contains(got, "style=") || strings.Contains(got, "href") || strings.Contains(got, "<script") || strings.Contains(got, "/>") {
			t.Errorf("a drawing holds more than shapes and text:\n%s", got)
		}
	}
	for _, source := range []string{
		"", "gantt\n", "gantt\ntitle x\nsection y", "gantt\nA :a, tomorrow, 3d", "gantt\nA :3d", "gantt\nexcludes weekends\nA :a, 2024-01-01, 3d", "gantt\nA :2024-01-02, 2024-01-01",
		"gantt\nA :2024-01-01, 999999y", "gantt\nA :2024-01-01, 9999w\nA :99999M", "gantt\n" + strings.Repeat("A :2024-01-01, 1d\n", maxNodes+2), "mindmap", "mindmap\na\nb", "mindmap\n" + strings.Repeat("  a\n", 3),
		"mindmap\na\n" + strings.Repeat(" b\n", maxNodes), "gitGraph", "gitGraph\ncheckout x", "gitGraph\nmerge x", "gitGraph\nfly", "gitGraph\n" + strings.Repeat("commit\n", maxNodes+1),
		"timeline", "timeline\n: a", "timeline\na" + strings.Repeat(" : b", maxRows+1), "journey", "journey\nnothing", "kanban", "quadrantChart\nx-axis a --> b", "graph TD",
		"pie", "pie title x", "pie\n\"a\" 1", "pie\n\"a\": -1", "pie\n\"a\": 0", "pie\n\"a\": 1e9", "pie\n\"a\": 99999999999", "pie\n" + strings.Repeat("\"a\": 1\n", maxSlices+1),
		"stateDiagram-v2", "stateDiagram-v2\nA -->", "stateDiagram-v2\nstate A {\nB", "stateDiagram-v2\n}", "stateDiagram-v2\nA --> B\n--\nC", "stateDiagram-v2\nnote right of A\nx",
		"stateDiagram-v2\n" + strings.Repeat("state a {\n", 20), "stateDiagram-v2\nstate A {\nstate A {\n}\n}", "stateDiagram-v2\n" + strings.Repeat("A --> B\n", maxEdges+1),
		"classDiagram", "classDiagram\nclass A {", "classDiagram\n}", "classDiagram\nA <|- B", "classDiagram\nclass A {\n" + strings.Repeat("+x\n", maxRows+1) + "}", "classDiagram\nnonsense here",
		"erDiagram", "erDiagram\nA {", "erDiagram\n}", "erDiagram\nA {\nx\n}", "erDiagram\nA ||-- B", "erDiagram\nA {\n" + strings.Repeat("int x\n", maxRows+1) + "}", "graph TD\nA[open", "graph TD\nA --> ", "graph TD\nend\nA-->B",
		"graph TD\nsubgraph x\nA-->B", "graph TD\nA@{ shape: x }", "sequenceDiagram", "sequenceDiagram\nnonsense", "sequenceDiagram\nend\nA->>B: x",
		"sequenceDiagram\nloop x\nA->>B: x", "sequenceDiagram\nelse x", "graph TD\n" + strings.Repeat("subgraph a\n", 50),
		"graph TD\n" + strings.Repeat("a", maxSource), "graph TD\n" + chain(maxNodes+1), "sequenceDiagram\n" + strings.Repeat("A->>B: x\n", maxMessages+2),
		"graph TD\n" + strings.Repeat("a & b & c & d --> e & f & g & h\n", 30),
	} {
		if got, ok := drawn(source); ok || got != "" {
			t.Errorf("drawn, and should stay text: %.80q", source)
		}
	}
}

// What is not drawn has a name.
func TestKindsHaveNames(t *testing.T) {
	for source, want := range map[string]string{"quadrantChart\nx": "Quadrant chart", "---\na: b\n---\n%% x\nxychart-beta horizontal": "Chart", "gitGraph:\ncommit": "Git graph", "": "Diagram", "own\n": "Diagram"} {
		if got := Kind(source); got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
}

func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "n%d --> n%d\n", i, i+1)
	}
	return b.String()
}

// random makes a flowchart.
func random(r *rand.Rand) string {
	var b strings.Builder
	fmt.Fprintf(&b, "graph %s\n", []string{"TD", "LR", "BT", "RL"}[r.IntN(4)])
	nodes := 1 + r.IntN(20)
	if r.IntN(3) == 0 {
		b.WriteString("subgraph part\nn0[Zero]\nn1\nend\n")
	}
	for range 1 + r.IntN(30) {
		label := ""
		if r.IntN(3) == 0 {
			label = "|" + strings.Repeat("word ", 1+r.IntN(3)) + "|"
		}
		from, to := r.IntN(nodes), r.IntN(nodes)
		fmt.Fprintf(&b, "n%d -->%s n%d%s\n", from, label, to, []string{"", "{what is it}", "[(a store of things)]", "((o))"}[r.IntN(4)])
	}
	return b.String()
}

// Boxes do not cover each other and lie in the drawing, and the same text gives the same
// drawing.
func TestBoxesDoNotCoverEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		source := random(r)
		_, parsed := read(source)
		f, ok := readFlow(parsed)
		if !ok {
			t.Fatalf("not read:\n%s", source)
		}
		var m templates.Markup
		d := &drawing{canvas: canvas{&m}}
		if !d.layOut(f) {
			t.Fatalf("not laid out:\n%s", source)
		}
		for _, a := range f.nodes {
			if a.x-a.w/2 < 0 || a.y-a.h/2 < 0 || a.x+a.w/2 > f.top.w+2*margin || a.y+a.h/2 > f.top.h+2*margin {
				t.Fatalf("%s leaves the drawing\n%s", a.id, source)
			}
			for _, b := range f.nodes {
				if a == b || a.sub != nil && b.parent == a.sub || b.sub != nil && a.parent == b.sub {
					continue
				}
				if abs(a.x-b.x) < (a.w+b.w)/2 && abs(a.y-b.y) < (a.h+b.h)/2 {
					t.Fatalf("%s and %s cover each other\n%s", a.id, b.id, source)
				}
			}
		}
		one, _ := drawn(source)
		if two, _ := drawn(source); one != two {
			t.Fatalf("two drawings of one text differ\n%s", source)
		}
	}
}

func abs(n int) int { return max(n, -n) }

// The largest diagrams that are drawn come to an end.
func TestLargeDiagramsEnd(t *testing.T) {
	dense := "graph TD\n"
	for i := range maxEdges {
		dense += fmt.Sprintf("n%d --> n%d\n", i%20, i*7%maxNodes)
	}
	for name, source := range map[string]string{
		"a chain":       "graph LR\n" + chain(maxNodes-1),
		"many to many":  dense,
		"long edges":    "graph TD\n" + chain(40) + strings.Repeat("n0 --> n39\n", 50),
		"long lengths":  "graph TD\nA " + strings.Repeat("-", 2000) + "> B",
		"many messages": "sequenceDiagram\n" + strings.Repeat("A->>B: x\nC-->>A: y\n", maxMessages/2),
		"many states":   "stateDiagram-v2\n" + strings.Repeat("A --> B : x\nB --> A : y\nA --> A : z\n", maxEdges/3),
		"deep states":   "stateDiagram-v2\n" + nested("state s%d {\n") + "x\n" + strings.Repeat("}\n", maxDepth),
		"large tables":  "erDiagram\nA {\n" + strings.Repeat("string aname PK \"a comment\"\n", maxRows) + "}\nA ||--|| A : self",
		"deep frames":   "sequenceDiagram\n" + strings.Repeat("loop x\n", maxDepth) + "A->>B: x\n" + strings.Repeat("end\n", maxDepth),
	} {
		if got, ok := drawn(source); !ok || len(got) > 1<<20 {
			t.Errorf("%s: drawn %v, %d bytes", name, ok, len(got))
		}
	}
}

// nested is a line for each depth.
func nested(format string) string {
	var b strings.Builder
	for i := range maxDepth {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestLabelsThatAreNoTextAreDrawnWithoutAPanic(t *testing.T) {
	noText := strings.Repeat("\x9a", maxLabel+1)
	for _, source := range []string{"sequenceDiagram\nA->>B: " + noText, "sequenceDiagram\nNote left of " + noText + ": y", "graph TD; A[" + noText + "] --> B", "pie\n\"" + noText + "\" : 1"} {
		got, ok := drawn(source)
		if !ok && got != "" {
			t.Errorf("%.40q is half a drawing", source)
		}
	}
}

func FuzzDraw(f *testing.F) {
	for _, seed := range []string{"graph TD; A-->B", "graph LR\nA[\"x\"] -- t --> B & C{d}\nsubgraph s [t]\nD\nend", "sequenceDiagram\nA->>B: x\nNote left of A: y\nloop z\nend", "graph\nA-.->B~~~C",
		"stateDiagram-v2\n[*] --> A\nstate A {\nB --> [*]\n}\nnote right of A : x", "classDiagram\nA \"1\" <|.. B~T~ : x\nclass A {\n+m() int\n}\nnamespace n {\n}",
		"erDiagram\nA ||--o{ B : x\nA {\nint a PK \"c\"\n}", "pie showData title x\n\"a\" : 1.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		got, ok := drawn(source)
		if !ok && got != "" {
			t.Error("half a drawing")
		}
		if strings.Contains(strings.ToLower(got), "<script") || strings.Count(got, "<svg") != strings.Count(got, "</svg>") {
			t.Errorf("%q gives\n%s", source, got)
		}
	})
}
