// Pictures of an article that are larger than their place are shown whole when they are
// followed: over the page, and closed by a click or Escape.

/** Makes the pictures of an article buttons, where there is more of them to see. */
export function prepareZoom(signal: AbortSignal): void {
  for (const picture of document.querySelectorAll<HTMLImageElement>("article.prose img")) {
    if (picture.closest("a")) continue;
    const ready = (): void => {
      if (signal.aborted || picture.naturalWidth <= picture.clientWidth * 1.1) return;
      picture.classList.add("zoom");
      picture.tabIndex = 0;
      picture.setAttribute("role", "button");
      picture.setAttribute("aria-label", `Enlarge: ${picture.alt || "picture"}`);
      picture.addEventListener("click", () => show(picture), { signal });
      picture.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        show(picture);
      }, { signal });
    };
    if (picture.complete) ready();
    else picture.addEventListener("load", ready, { signal });
  }
}

function show(picture: HTMLImageElement): void {
  const dialog = document.createElement("dialog");
  dialog.className = "zoomed";
  dialog.setAttribute("aria-label", picture.alt || "Picture");
  const large = new Image();
  large.src = picture.currentSrc || picture.src;
  large.alt = picture.alt;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "quiet";
  close.textContent = "Close";
  dialog.append(close, large);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    picture.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}
