package editor

// The types of LSP 3.17 that are used. Lines and characters count from 0; characters
// are UTF-16 units.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	span struct { // "Range" of the protocol
		Start position `json:"start"`
		End   position `json:"end"`
	}
	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}
	docID struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"` // null: the file as it is on disk
	}
	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}
	docEdit struct { // edits of a text, or another name for its file
		TextDocument *docID     `json:"textDocument,omitempty"`
		Edits        []textEdit `json:"edits,omitempty"`
		Kind         string     `json:"kind,omitempty"` // "rename"
		OldURI       string     `json:"oldUri,omitempty"`
		NewURI       string     `json:"newUri,omitempty"`
	}
	workspaceEdit struct {
		DocumentChanges []docEdit `json:"documentChanges"`
	}
	prepared struct {
		Range       span   `json:"range"`
		Placeholder string `json:"placeholder"`
	}
	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup `json:"contents"`
	}
	completionItem struct {
		Label         string    `json:"label"`
		Kind          int       `json:"kind"`
		Detail        string    `json:"detail,omitempty"`
		Documentation string    `json:"documentation,omitempty"`
		FilterText    string    `json:"filterText,omitempty"`
		TextEdit      *textEdit `json:"textEdit"`
	}
	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}
	diagnostic struct {
		Range    span   `json:"range"`
		Severity int    `json:"severity"`
		Code     string `json:"code"`
		Source   string `json:"source"`
		Message  string `json:"message"`
	}
	diagnosticsParams struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	codeAction struct {
		Title string        `json:"title"`
		Kind  string        `json:"kind"`
		Edit  workspaceEdit `json:"edit"`
	}
	placeParams struct { // of most requests
		TextDocument docID    `json:"textDocument"`
		Position     position `json:"position"`
		NewName      string   `json:"newName"`
	}
	initializeParams struct {
		RootURI          string `json:"rootUri"` // "" for null
		WorkspaceFolders []struct {
			URI string `json:"uri"`
		} `json:"workspaceFolders"`
		Capabilities struct {
			Workspace struct {
				WorkspaceEdit struct {
					ResourceOperations []string `json:"resourceOperations"`
				} `json:"workspaceEdit"`
			} `json:"workspace"`
		} `json:"capabilities"`
	}
	watchedParams struct {
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	renameFilesParams struct {
		Files []struct {
			OldURI string `json:"oldUri"`
			NewURI string `json:"newUri"`
		} `json:"files"`
	}
	openParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
	}
	changeParams struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Range *span  `json:"range"`
			Text  string `json:"text"`
		} `json:"contentChanges"`
	}
)

// Kinds of completions, by the numbers of the protocol.
const (
	kindValue     = 12
	kindProperty  = 10
	kindFile      = 17
	kindReference = 18
)
