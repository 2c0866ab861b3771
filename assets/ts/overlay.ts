// Findings of the last build, shown over a page that is being written.

export interface Finding {
  severity: string;
  path: string;
  message: string;
  line?: number;
  column?: number;
  hint?: string;
  frame?: string;
}

let host: HTMLElement | null = null;

/** Shows findings, and why a build did not happen; takes the overlay away when there are none. */
export function showFindings(findings: Finding[], error: string): void {
  host?.remove();
  host = null;
  if (findings.length === 0 && error === "") return;
  host = document.createElement("packgen-findings");
  const root = host.attachShadow({ mode: "open" });
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = "/_packgen/live.css";
  root.append(style, panel(findings, error));
  document.body.append(host);
}

function panel(findings: Finding[], error: string): HTMLElement {
  const box = element("section", "panel");
  box.setAttribute("role", "alert");
  const head = element("header", "");
  head.append(element("strong", "", title(findings, error)));
  const close = element("button", "", "Close");
  close.addEventListener("click", () => host?.remove());
  head.append(close);
  box.append(head);
  if (error !== "") box.append(element("pre", "", error));
  const list = element("ol", "");
  for (const finding of findings) list.append(item(finding));
  box.append(list);
  return box;
}

function title(findings: Finding[], error: string): string {
  if (error !== "") return "The site was not built";
  return findings.length === 1 ? "1 finding" : `${findings.length} findings`;
}

function item(finding: Finding): HTMLElement {
  const row = element("li", finding.severity);
  const place = [finding.path, finding.line, finding.column].filter(Boolean).join(":");
  row.append(element("code", "place", place), element("p", "", finding.message));
  if (finding.frame) row.append(element("pre", "", finding.frame));
  if (finding.hint) row.append(element("p", "hint", finding.hint));
  return row;
}

function element(name: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}
