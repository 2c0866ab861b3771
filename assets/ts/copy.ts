// The Copy Markdown button: it fetches the raw file that is beside the page
// (agent-knowledge section 20).

/** Shows the button on pages that link to their Markdown. Its room is kept from the start. */
export function showCopyButton(): void {
  const button = document.querySelector<HTMLButtonElement>("button.copy");
  const link = button?.previousElementSibling;
  // A page opened from a folder may not read its neighbours.
  if (!button || !(link instanceof HTMLAnchorElement) || !location.protocol.startsWith("http")) return;
  button.classList.add("on");
  button.addEventListener("click", () => {
    void copy(link.href).then(
      () => flash(button, "Copied"),
      () => flash(button, "Could not copy"),
    );
  });
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
