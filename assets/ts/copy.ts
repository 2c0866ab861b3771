// The Copy Markdown button: it fetches the raw file that stands beside the page
// (agent-knowledge section 20).

/** Adds the button to pages that link to their Markdown. */
export function addCopyButton(): void {
  const link = document.querySelector<HTMLAnchorElement>('a[rel="alternate"][type="text/markdown"]');
  // A page opened from a folder may not read its neighbours.
  if (!link || !location.protocol.startsWith("http")) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = "Copy Markdown";
  button.addEventListener("click", () => {
    void copy(link.href).then(
      () => flash(button, "Copied"),
      () => flash(button, "Could not copy"),
    );
  });
  link.parentElement?.append(button);
}

async function copy(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  await navigator.clipboard.writeText(await answer.text());
}

/** Shows a word on a button for a moment. */
export function flash(button: HTMLButtonElement, word: string): void {
  const usual = button.dataset["usual"] ?? button.textContent ?? "";
  button.dataset["usual"] = usual;
  button.textContent = word;
  setTimeout(() => {
    button.textContent = usual;
  }, 1600);
}
